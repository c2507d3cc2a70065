#include "runtime/dispatch/dispatcher.hpp"

#include <ranges>
#include <string>
#include <utility>

#include "base/error.hpp"

namespace loadshare {
namespace {

constexpr double never_s = std::numeric_limits<double>::infinity();

/// The same rules, with those changed that contradict others.
DispatchRules consistent(DispatchRules rules) {
  if (rules.reissue == Reissue::on) rules.landing = Landing::aside;
  if (rules.copies == Copies::never) rules.reissue = Reissue::off;
  return rules;
}

}  // namespace

void Dispatcher::throw_bad_size(Index size, Index remaining) {
  throw Error(
      ExitCode::run_failed, "the scheduler returned a chunk of " + std::to_string(size) + " iterations",
      "a size must be from 1 to the " + std::to_string(remaining) + " that remain", "correct its next()");
}

Dispatcher::Dispatcher(std::vector<Chunk> open, std::unique_ptr<ChunkScheduler> scheduler,
                       DispatchRules rules)
    : rules_(consistent(rules)),
      scheduler_(std::move(scheduler)),
      pool_(open),
      chunks_(rules_.reissue == Reissue::on ? OutstandingChunks::Copies::possible
                                            : OutstandingChunks::Copies::never),
      faults_(rules.crash_limit, rules.most_host_faults),
      is_closed_(!rules.may_grow) {
  for (const Chunk range : open)
    if (range.size < 0)
      throw UsageError("a loop of " + std::to_string(range.size) + " iterations", "there must be 0 or more");
  if (!scheduler_) throw UsageError("the loop has no scheduler");
  iterations_ = pool_.remaining();
  if (iterations_ == 0 && is_closed_) ending_ = Ending::finished;
}

// --- Their chunks

void Dispatcher::progressed(WorkerId worker, ChunkId id, Index done) {
  if (is_over() || !chunks_.holds(worker, id)) return;
  Slot& slot = chunks_[id.slot];
  in_progress_ -= slot.done();
  slot.progress = std::clamp<Index>(done, 0, slot.chunk.size);
  in_progress_ += slot.progress;
  for (std::uint32_t older = slot.older_held; older != OutstandingChunks::none && !chunks_[older].is_begun();
       older = chunks_[older].older_held)
    chunks_[older].progress = 0;
}

void Dispatcher::discard(WorkerId worker, ChunkId id, Decisions& out) {
  out.push_back({.kind = Decision::Kind::discard, .worker = worker, .id = id});
}

bool Dispatcher::publish_open_parts(Worker& record, WorkerId worker, ChunkId id, Decisions& out) {
  const std::uint32_t number = chunks_[id.slot].contest;
  const std::vector<Chunk> parts = contests_.close(number, chunks_[id.slot].chunk);
  const Index free = remaining();
  for (const Chunk part : parts) {
    publish(record, worker, id, part, out);
    pool_.remove(part, number);
  }
  may_idle_copy_ |= remaining() < free;
  if (parts.empty()) {
    discard(worker, id, out);
    return false;
  }
  for (const std::uint32_t other : contests_[number].holders) {
    Slot& held = chunks_[other];
    if (other != id.slot && contests_[number].open_in(held.chunk) == 0 && held.cancel())
      decide(Decision::Kind::cancel, held.worker, chunks_.id(other), held.chunk, out);
  }
  return true;
}

void Dispatcher::handed_back(WorkerId worker, ChunkId id, Chunk not_begun, double now_s, Decisions& out) {
  if (is_over() || !chunks_.holds(worker, id)) return;
  Worker& record = workers_[to_number(worker)];
  Slot& slot = chunks_[id.slot];
  const bool is_part = not_begun.size >= 1 && not_begun.size <= slot.chunk.size;
  if (!is_part || not_begun.first != slot.chunk.end() - not_begun.size) return;
  const OpenRange range{.chunk = not_begun, .contest = slot.contest, .failures = slot.failures};
  slot.marks.is_recalled = false;
  if (not_begun.size == slot.chunk.size) {
    release(record, id.slot);
  } else {
    slot.chunk.size -= not_begun.size;
    in_progress_ -= std::max<Index>(0, slot.progress - slot.chunk.size);
    slot.progress = std::min(slot.progress, slot.chunk.size);
  }
  reclaim(worker, range);
  feed_idlest(now_s, out);
  settle(record, worker, now_s, out);
  feed_hungry(now_s, out);
  look_after_stranded(now_s, out);
}

void Dispatcher::failed(WorkerId worker, ChunkId id, std::optional<Index> at, double now_s, Decisions& out) {
  if (is_over() || !chunks_.holds(worker, id)) return;
  Worker& record = workers_[to_number(worker)];
  const Slot slot = chunks_[id.slot];
  const bool is_known = at && slot.chunk.first <= *at && *at < slot.chunk.end();
  if (rules_.on_failure == OnFailure::end && is_open(worker, id))
    return end(Ending::failed, worker, is_known ? Chunk{*at, 1} : slot.chunk, out);
  const bool is_contested = slot.contest != Contests::none;
  // Where others have a copy, on which they may fail, too, this is not forgotten.
  const std::uint8_t before =
      is_contested ? std::max(contests_[slot.contest].failures, slot.failures) : slot.failures;
  const auto failures = static_cast<std::uint8_t>(std::min(before + 1, 255));
  if (is_contested) contests_[slot.contest].failures = failures;
  release(record, id.slot);
  for (const Chunk part :
       is_contested ? contests_.uncovered(slot.contest, chunks_, pool_) : std::vector{slot.chunk}) {
    retry_or_skip(worker, {.chunk = part, .contest = slot.contest, .failures = failures, .failed_on = worker},
                  is_known ? at : std::nullopt, out);
    if (is_over()) return;
  }
  if (is_contested && rules_.reissue == Reissue::on) contests_.queue(slot.contest);
  note_failure(worker, slot.chunk, before > 0, now_s, out);
  settle(record, worker, now_s, out);
  feed_hungry(now_s, out);
  look_after_stranded(now_s, out);
}

/// Nobody else has `part`, on which `worker` failed.
void Dispatcher::retry_or_skip(WorkerId worker, OpenRange part, std::optional<Index> at, Decisions& out) {
  const Chunk chunk = part.chunk;
  scheduler_->reclaimed(worker, chunk);
  if (part.failures <= rules_.retries) return give_back(part);
  if (chunk.size == 1) return give_up_on(chunk.first, part, out);
  if (at && intersection(chunk, {*at, 1}).size == 1) return give_up_on(*at, part, out);
  const Index half = chunk.size / 2;
  OpenRange second = part;
  second.chunk = {chunk.first + half, chunk.size - half};
  part.chunk.size = half;
  give_back(second);
  give_back(part);
}

void Dispatcher::give_up_on(Index iteration, const OpenRange& part, Decisions& out) {
  const Chunk culprit{iteration, 1};
  if (rules_.on_failure == OnFailure::retry) return end(Ending::failed, *part.failed_on, culprit, out);
  ++skipped_;
  if (part.contest != Contests::none) contests_.close(part.contest, culprit);
  out.push_back({.kind = Decision::Kind::skip, .worker = *part.failed_on, .chunk = culprit});
  for (const Chunk rest : difference(part.chunk, culprit))
    give_back({.chunk = rest, .contest = part.contest});
}

// --- What comes back, and copies

/// Keeps iterations with which processes were lost apart from the others. The last piece goes to the pool
/// first, because the pool gives the latest one that came back, and so begins with the first piece.
void Dispatcher::give_back(OpenRange range) {
  for (const Chunk piece : std::views::reverse(faults_.pieces(range.chunk))) {
    range.chunk = piece;
    assess(range);
    pool_.give_back(range);
  }
}

/// These iterations came back; those that others have stay with them.
void Dispatcher::reclaim(WorkerId worker, const OpenRange& range) {
  if (range.contest == Contests::none) {
    give_back(range);
    return scheduler_->reclaimed(worker, range.chunk);
  }
  for (const Chunk part : contests_.uncovered(range.contest, chunks_, pool_)) {
    OpenRange open = range;
    open.chunk = part;
    give_back(open);
    scheduler_->reclaimed(worker, part);
  }
  if (rules_.reissue == Reissue::on) contests_.queue(range.contest);
}

void Dispatcher::give_cut(Worker& record, WorkerId worker, IterationPool::Part part, const Cut& cut,
                          double now_s, Decisions& out) {
  std::optional<OpenRange> range;
  if (cut.from) range = pool_.take_from(*cut.from, cut.size);
  if (range) return give(record, worker, *range, false, now_s, out);
  Index size = cut.size;
  if (part == IterationPool::Part::returned && pool_.front_returned().losses > 0)
    size = std::min(size, faults_.most_at_once(pool_.front_returned().chunk));
  give(record, worker, pool_.take(part, size), false, now_s, out);
}

/// One at a time for each process, so that a loss shows with which chunk the process was lost.
bool Dispatcher::give_suspect(Worker& record, WorkerId worker, double now_s, Decisions& out) {
  for (std::uint32_t number = 0; number < workers_.size(); ++number)
    if (workers_[number].has_suspect && faults_.are_of_one_process(WorkerId{number}, worker)) return false;
  // Work that was computed since may have made so many losses unlikely.
  pool_.for_each_returned([this](OpenRange& range) {
    if (range.losses > 0 && range.losses >= rules_.crash_limit) assess(range);
  });
  const IterationPool::Part part = pool_.suspect_for(worker, present_ <= 1, now_s);
  if (part == IterationPool::Part::none) return false;
  cut(record, worker, part, now_s, out);
  return true;
}

void Dispatcher::give(Worker& record, WorkerId worker, const OpenRange& range, bool is_copy, double now_s,
                      Decisions& out) {
  if (!is_copy) scheduler_->assigned(worker, range.chunk);
  may_idle_copy_ |= range.failed_on.has_value();
  const ChunkId id = chunks_.add(record.holds, worker, range, now_s);
  if (range.contest != Contests::none) contests_.enter(range.contest, id.slot);
  chunks_[id.slot].marks.is_copy = is_copy;
  record.has_suspect = range.losses > 0;
  record.contribution.copies += is_copy ? 1 : 0;
  decide(Decision::Kind::give, worker, id, range.chunk, out);
}

bool Dispatcher::copy(Worker& record, WorkerId worker, double now_s, Decisions& out) {
  std::optional<OpenRange> range = contests_.next_to_copy(chunks_, [this](Chunk part) {
    return rules_.crash_limit == 0 || faults_.losses(part) < rules_.crash_limit;
  });
  if (!range) return false;
  range->losses = faults_.losses(range->chunk);
  if (range->losses > 0) range->chunk.size = faults_.most_at_once(range->chunk);
  give(record, worker, *range, true, now_s, out);
  return true;
}

/// Who would take more gets what has come back, or copies what is out.
void Dispatcher::feed_hungry(double now_s, Decisions& out) {
  may_idle_copy_ = false;
  if (is_over()) return;
  for (const WorkerId worker : std::exchange(hungry_, {})) {
    Worker& record = workers_[to_number(worker)];
    record.is_hungry = false;
    if (record.state == State::present) feed(record, worker, now_s, out);
  }
}

/// Something has come back: who holds least is first, not who has just let go of it.
void Dispatcher::feed_idlest(double now_s, Decisions& out) {
  while (remaining() > 0) {
    WorkerId idlest{};
    std::uint32_t least = OutstandingChunks::none;
    for (const WorkerId worker : hungry_) {
      const Worker& record = workers_[to_number(worker)];
      if (record.state != State::present || record.has_suspect ||
          record.holds.count >= std::min(least, record.window))
        continue;
      least = record.holds.count;
      idlest = worker;
    }
    if (least == OutstandingChunks::none || !give_one(workers_[to_number(idlest)], idlest, now_s, out))
      return;
  }
}

// --- The loop

void Dispatcher::opened(Chunk range, double now_s, Decisions& out) {
  if (is_over() || is_closed_ || range.size < 1) return;
  pool_.open(range);
  iterations_ += range.size;
  feed_hungry(now_s, out);
  look_after_stranded(now_s, out);
}

void Dispatcher::closed(Decisions& out) {
  if (is_over()) return;
  is_closed_ = true;
  conclude(out);
}

void Dispatcher::drain(Decisions& out) {
  if (is_over()) return;
  is_draining_ = true;
  for (const Worker& record : workers_) recall_not_begun(record, out);
}

void Dispatcher::tick(double now_s, Decisions& out) {
  if (is_over()) return;
  if (first_joined_s_) start_if_gathered(now_s, out);
  bool is_any_overdue = false;
  for (std::uint32_t number = 0; number < workers_.size(); ++number) {
    Worker& record = workers_[number];
    if (record.state != State::leaving || now_s < record.leaves_at_s) continue;
    set_state(record, State::overdue, now_s);
    contest_all(record, WorkerId{number});
    is_any_overdue = true;
  }
  const std::optional<double> rested_s = pool_.next_rested_s(ticked_s_);
  ticked_s_ = now_s;
  if (is_any_overdue || (rested_s && *rested_s <= now_s)) feed_hungry(now_s, out);
  lose_whose_lease_has_run_out(now_s, out);
  pass_verdict(now_s, out);
  look_after_stranded(now_s, out);
}

std::optional<double> Dispatcher::next_tick_s() const {
  double next_s = never_s;
  if (is_over()) return std::nullopt;
  if (is_draining_ && outstanding() == 0) return 0;
  if (!has_gathered_ && first_joined_s_) next_s = *first_joined_s_ + rules_.gathering_s;
  if (stranded_s_ && rules_.patience_s) next_s = std::min(next_s, *stranded_s_ + *rules_.patience_s);
  if (const auto rested_s = pool_.next_rested_s(ticked_s_); rested_s && present_ > 0)
    next_s = std::min(next_s, *rested_s);
  if (const auto culprit = first_culprit(); culprit && present_ > 0 && is_all_else_done())
    next_s = std::min(next_s, verdict_s(*culprit));
  for (const Worker& record : workers_)
    if (record.state == State::leaving || record.state == State::cut_off)
      next_s = std::min(next_s, record.leaves_at_s);
  return next_s < never_s ? std::optional(next_s) : std::nullopt;
}

// A worker that holds nothing is lost immediately.
void Dispatcher::cut_off(WorkerId worker, double gone_at_s, double now_s, Decisions& out) {
  Worker* record = find(worker);
  if (is_over() || !record || record->state == State::absent || record->state == State::cut_off) return;
  if (rules_.copies == Copies::allowed || record->holds.count == 0 || now_s >= gone_at_s)
    return lost(worker, now_s, out);
  suspect_its_work(*record, worker, now_s);
  record->leaves_at_s = gone_at_s;
  set_state(*record, State::cut_off, now_s);
  doom_others(worker, now_s);
  look_after_stranded(now_s, out);
}

void Dispatcher::lose_whose_lease_has_run_out(double now_s, Decisions& out) {
  for (std::uint32_t number = 0; number < workers_.size(); ++number)
    if (workers_[number].state == State::cut_off && now_s >= workers_[number].leaves_at_s)
      lost(WorkerId{number}, now_s, out);
}

void Dispatcher::look_after_stranded(double now_s, Decisions& out) {
  if (is_over()) return;
  if (is_draining_) return outstanding() == 0 ? end(Ending::drained, {}, {}, out) : void();
  if (present_ > 0 || remaining() == 0) return;
  if (!stranded_s_) {
    stranded_s_ = now_s;
    out.push_back({.kind = Decision::Kind::wait});
  }
  if (!rules_.patience_s || now_s < *stranded_s_ + *rules_.patience_s) return;
  while (const auto culprit = first_culprit()) {
    convict(*culprit, out);
    if (is_over()) return;
  }
  end(Ending::stranded, {}, {}, out);
}

void Dispatcher::conclude(Decisions& out) {
  if (is_over() || !is_closed_ || committed_ + skipped_ < iterations_) return;
  end(skipped_ > 0 ? Ending::gaps : Ending::finished, {}, {}, out);
}

void Dispatcher::end(Ending ending, WorkerId worker, Chunk where, Decisions& out) {
  ending_ = ending;
  out.push_back({.kind = Decision::Kind::end, .ending = ending, .worker = worker, .chunk = where});
}

// --- Queries

bool Dispatcher::may_go(WorkerId worker) const {
  const Worker* record = find(worker);
  return !record || record->state == State::absent || record->state == State::overdue;
}

std::uint32_t Dispatcher::held_count(WorkerId worker) const {
  const Worker* record = find(worker);
  return record ? record->holds.count : 0;
}

std::vector<Assignment> Dispatcher::held(WorkerId worker) const {
  std::vector<Assignment> assignments;
  const Worker* record = find(worker);
  if (!record) return assignments;
  chunks_.for_each(record->holds, [&](std::uint32_t slot) {
    assignments.push_back({chunks_.id(slot), chunks_[slot].chunk, chunks_[slot].marks.is_copy, landing()});
  });
  return assignments;
}

std::optional<Dispatcher::Holding> Dispatcher::holding(WorkerId worker, ChunkId id) const {
  if (!chunks_.holds(worker, id)) return std::nullopt;
  return Holding{chunks_[id.slot].chunk, chunks_[id.slot].assigned_s};
}

std::optional<Dispatcher::InWork> Dispatcher::in_work(WorkerId worker) const {
  const Worker* record = find(worker);
  if (!record || record->holds.count == 0) return std::nullopt;
  const Slot& oldest = chunks_[record->holds.oldest];
  if (oldest.marks.is_cancelled) return std::nullopt;
  Index held = 0;
  chunks_.for_each(record->holds, [&](std::uint32_t slot) { held += chunks_[slot].chunk.size; });
  return InWork{oldest.chunk, std::max(oldest.assigned_s, record->returned_s), oldest.done(),
                held - oldest.chunk.size};
}

bool Dispatcher::is_open(WorkerId worker, ChunkId id) const {
  if (!chunks_.holds(worker, id)) return false;
  const Slot& slot = chunks_[id.slot];
  return slot.contest == Contests::none || contests_[slot.contest].open_in(slot.chunk) > 0;
}

Dispatcher::Contribution Dispatcher::contribution(WorkerId worker) const {
  const Worker* record = find(worker);
  return record ? record->contribution : Contribution{};
}

}  // namespace loadshare
