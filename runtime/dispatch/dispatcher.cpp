#include "runtime/dispatch/dispatcher.hpp"

#include <string>
#include <utility>

#include "base/error.hpp"

namespace loadshare {

void Dispatcher::throw_bad_size(Index size, Index remaining) {
  throw Error(ExitCode::run_failed, "the scheduler wants a chunk of " + std::to_string(size) + " iterations",
              "a size must lie within 1 and the " + std::to_string(remaining) + " that remain",
              "correct its next_size()");
}

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
  while (record->holds.newest != OutstandingChunks::none) {
    const std::uint32_t slot = record->holds.newest;
    if (outstanding_chunks_.is_sole(slot)) pool_.give_back(outstanding_chunks_.chunk(slot));
    outstanding_chunks_.release(record->holds, slot);
  }
  return remaining() - before;
}

std::optional<Assignment> Dispatcher::copy(Worker& record, WorkerId worker, double now_s) {
  const std::uint32_t original = outstanding_chunks_.next_to_copy();
  if (original == OutstandingChunks::none) return std::nullopt;
  const Chunk chunk = outstanding_chunks_.chunk(original);
  return Assignment{outstanding_chunks_.add_copy(record.holds, worker, original, now_s), chunk, true};
}

std::uint32_t Dispatcher::held_count(WorkerId worker) const {
  const Worker* record = find(worker);
  return record ? record->holds.count : 0;
}

std::vector<Assignment> Dispatcher::held(WorkerId worker) const {
  std::vector<Assignment> assignments;
  const Worker* record = find(worker);
  if (!record) return assignments;
  for (auto slot = record->holds.oldest; slot != OutstandingChunks::none;
       slot = outstanding_chunks_.next_held(slot))
    assignments.push_back(
        {outstanding_chunks_.id(slot), outstanding_chunks_.chunk(slot), outstanding_chunks_.is_copy(slot)});
  return assignments;
}

}  // namespace loadshare
