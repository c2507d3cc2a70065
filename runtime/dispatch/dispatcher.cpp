#include "runtime/dispatch/dispatcher.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "schedulers/error.hpp"

namespace loadshare {
namespace {

[[noreturn]] void throw_bad_size(Index size, Index remaining) {
  throw Error(ExitCode::run_failed, "the scheduler wants a chunk of " + std::to_string(size) + " iterations",
              "a size must lie within 1 and the " + std::to_string(remaining) + " that remain",
              "correct its next_size()");
}

}  // namespace

Dispatcher::Dispatcher(Index iterations, std::unique_ptr<ChunkScheduler> scheduler, Reissue reissue)
    : iterations_(iterations), reissue_(reissue), scheduler_(std::move(scheduler)), pool_(iterations) {
  if (iterations < 0)
    throw UsageError("a loop of " + std::to_string(iterations) + " iterations",
                     "there can be none, but not fewer");
  if (!scheduler_) throw UsageError("no scheduler for the loop");
}

void Dispatcher::join(WorkerId worker) {
  const std::size_t number = to_number(worker);
  if (number >= workers_.size()) workers_.resize(number + 1);
  if (!std::exchange(workers_[number].is_present, true)) ++present_;
}

void Dispatcher::leave(WorkerId worker) {
  Worker* record = find(worker);
  if (record && std::exchange(record->is_present, false)) --present_;
}

Index Dispatcher::lost(WorkerId worker) {
  leave(worker);
  Worker* record = find(worker);
  if (!record) return 0;
  const Index before = remaining();
  // Newest first, so that the pool, which gives what came back last, gives the oldest first.
  while (record->holds.newest != Holdings::none) {
    const std::uint32_t slot = record->holds.newest;
    if (holdings_.is_sole(slot)) pool_.give_back(holdings_.chunk(slot));
    holdings_.release(record->holds, slot);
  }
  return remaining() - before;
}

std::optional<Assignment> Dispatcher::assign(WorkerId worker, double now_s) {
  Worker* record = find(worker);
  if (!record || !record->is_present) return std::nullopt;
  if (remaining() > 0) return cut(*record, worker, now_s);
  if (reissue_ == Reissue::on && record->holds.count == 0) return copy(*record, worker, now_s);
  return std::nullopt;
}

Assignment Dispatcher::cut(Worker& record, WorkerId worker, double now_s) {
  const Index size = scheduler_->next_size(worker, remaining());
  if (size < 1 || size > remaining()) throw_bad_size(size, remaining());
  const Chunk chunk = pool_.take(size);
  return {holdings_.add(record.holds, worker, chunk, now_s), chunk, false};
}

std::optional<Assignment> Dispatcher::copy(Worker& record, WorkerId worker, double now_s) {
  const std::uint32_t original = holdings_.next_to_copy();
  if (original == Holdings::none) return std::nullopt;
  const Chunk chunk = holdings_.chunk(original);
  return Assignment{holdings_.add_copy(record.holds, worker, original, now_s), chunk, true};
}

Commit Dispatcher::complete(WorkerId worker, ChunkId id, double now_s, double compute_s) {
  if (!holdings_.holds(worker, id)) return Commit::duplicate;
  Worker& record = workers_[to_number(worker)];
  const bool is_first = !holdings_.is_superseded(id.slot);
  if (is_first) commit(record, worker, id.slot, now_s, compute_s);
  holdings_.release(record.holds, id.slot);
  record.returned_s = now_s;
  return is_first ? Commit::first : Commit::duplicate;
}

void Dispatcher::commit(const Worker& record, WorkerId worker, std::uint32_t slot, double now_s,
                        double compute_s) {
  const Chunk chunk = holdings_.chunk(slot);
  const double begun_s = std::max(holdings_.assigned_s(slot), record.returned_s);
  holdings_.finish(slot);
  committed_ += chunk.size;
  scheduler_->completed({worker, chunk, now_s - begun_s, compute_s});
}

Dispatcher::Worker* Dispatcher::find(WorkerId worker) {
  return to_number(worker) < workers_.size() ? &workers_[to_number(worker)] : nullptr;
}

const Dispatcher::Worker* Dispatcher::find(WorkerId worker) const {
  return to_number(worker) < workers_.size() ? &workers_[to_number(worker)] : nullptr;
}

std::uint32_t Dispatcher::held_count(WorkerId worker) const {
  const Worker* record = find(worker);
  return record ? record->holds.count : 0;
}

std::vector<Assignment> Dispatcher::held(WorkerId worker) const {
  std::vector<Assignment> assignments;
  const Worker* record = find(worker);
  if (!record) return assignments;
  for (auto slot = record->holds.oldest; slot != Holdings::none; slot = holdings_.next_held(slot))
    assignments.push_back({holdings_.id(slot), holdings_.chunk(slot), holdings_.is_copy(slot)});
  return assignments;
}

}  // namespace loadshare
