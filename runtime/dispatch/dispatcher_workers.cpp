#include <algorithm>
#include <limits>
#include <utility>

#include "runtime/dispatch/dispatcher.hpp"

// The dispatcher's events about workers; dispatcher.cpp has those about chunks and the loop.

namespace loadshare {

void Dispatcher::set_state(Worker& record, State state, double now_s) {
  const bool was_anybody = present_ > 0;
  present_ += (state == State::present ? 1 : 0) - (record.state == State::present ? 1 : 0);
  if (!was_anybody && present_ > 0) anybody_since_s_ = now_s;
  if (was_anybody && present_ == 0) attended_s_ += now_s - anybody_since_s_;
  record.state = state;
  const bool is_doubted = state != State::present && state != State::leaving;
  chunks_.for_each(record.holds, [&](std::uint32_t slot) { chunks_[slot].marks.is_doubted = is_doubted; });
}

void Dispatcher::joined(WorkerId worker, const WorkerFacts& facts, double now_s, Decisions& out) {
  if (is_over()) return;
  const std::size_t number = to_number(worker);
  if (number >= workers_.size()) workers_.resize(number + 1);
  if (workers_[number].state == State::cut_off) {
    stranded_s_ = std::numeric_limits<double>::infinity();  // no waiting for workers: this one is present
    lost(worker, now_s, out);
    stranded_s_.reset();
    if (is_over()) return;
  }
  Worker& record = workers_[number];
  set_state(record, State::present, now_s);
  record.window = std::max<std::uint32_t>(1, facts.window);
  record.leaves_at_s = now_s + facts.time_left_s;
  const bool is_anything_cleared = faults_.joined(worker, facts);
  scheduler_->joined(worker, facts);
  if (!first_joined_s_) first_joined_s_ = now_s;
  if (faults_.is_aside(worker)) set_aside(record, worker, now_s, out);
  if (is_anything_cleared) clear(now_s, out);
  if (record.state == State::aside) return;
  stranded_s_.reset();
  if (has_gathered_ && remaining() == 0 && take_back_for(record, out))
    wait_hungry(record, worker);
  else
    feed(record, worker, now_s, out);
  start_if_gathered(now_s, out);
}

/// The newest chunk that the worker has not begun, where it has more than so many of those; else `none`.
std::uint32_t Dispatcher::newest_queued(const Worker& record, std::uint32_t longer_than) const {
  std::uint32_t count = 0, newest = OutstandingChunks::none;
  chunks_.for_each(record.holds, [&](std::uint32_t slot) {
    const Slot& held = chunks_[slot];
    if (slot == record.holds.oldest || held.is_begun() || held.marks.is_recalled) return;
    ++count;
    newest = slot;
  });
  return count > longer_than ? newest : OutstandingChunks::none;
}

/// Nobody has iterations left for who comes: asks for chunks that others have queued, from the longest
/// queues, until its own would be as long. Returns whether there were any.
bool Dispatcher::take_back_for(const Worker& record, Decisions& out) {
  std::uint32_t taken = 0;
  for (bool has_found = true; has_found && taken < record.window;) {
    has_found = false;
    for (const Worker& other : workers_) {
      if (&other == &record || other.state != State::present || taken == record.window) continue;
      const std::uint32_t slot = newest_queued(other, taken);
      if (slot == OutstandingChunks::none) continue;
      has_found = chunks_[slot].recall();
      decide(Decision::Kind::recall, chunks_[slot].worker, chunks_.id(slot), chunks_[slot].chunk, out);
      ++taken;
    }
  }
  return taken > 0;
}

// Breadth first: all get their second chunk before any gets its third.
void Dispatcher::start_if_gathered(double now_s, Decisions& out) {
  if (has_gathered_ || (present_ < rules_.workers_expected && now_s < *first_joined_s_ + rules_.gathering_s))
    return;
  has_gathered_ = true;
  std::uint32_t deepest = 1;
  for (const Worker& record : workers_) deepest = std::max(deepest, record.window);
  for (std::uint32_t depth = 1; depth < deepest; ++depth)
    for (std::uint32_t number = 0; number < workers_.size(); ++number) {
      Worker& record = workers_[number];
      if (record.state == State::present && record.holds.count == depth && depth < record.window)
        give_one(record, WorkerId{number}, now_s, out);
    }
}

/// Recalls all chunks of a worker that are not begun, except the oldest, which is as good as begun.
void Dispatcher::recall_not_begun(const Worker& record, Decisions& out) {
  chunks_.for_each(record.holds, [&](std::uint32_t slot) {
    if (!chunks_[slot].is_begun() && slot != record.holds.oldest && chunks_[slot].recall())
      decide(Decision::Kind::recall, chunks_[slot].worker, chunks_.id(slot), chunks_[slot].chunk, out);
  });
}

void Dispatcher::leaving(WorkerId worker, double deadline_s, double now_s, Decisions& out) {
  Worker* record = find(worker);
  if (is_over() || !record || record->state == State::absent || record->state == State::cut_off) return;
  set_state(*record, State::leaving, now_s);
  record->leaves_at_s = deadline_s;
  recall_not_begun(*record, out);
  settle(*record, worker, now_s, out);
  feed_hungry(now_s, out);  // who is alone now takes also what it failed on
  look_after_stranded(now_s, out);
}

/// It holds nothing: if it was leaving, it has left.
void Dispatcher::depart(Worker& record, WorkerId worker, double now_s) {
  if (record.state != State::leaving && record.state != State::overdue) return;
  set_state(record, State::absent, now_s);
  scheduler_->left(worker);
}

/// What befell this worker will be said of the others of its process in a moment.
void Dispatcher::doom_others(WorkerId of_process, double now_s) {
  for (std::uint32_t number = 0; number < workers_.size(); ++number)
    if (const WorkerId other{number};
        workers_[number].state == State::present && faults_.are_of_one_process(other, of_process))
      set_state(workers_[number], State::doomed, now_s);
}

void Dispatcher::lost(WorkerId worker, double now_s, Decisions& out) {
  Worker* record = find(worker);
  if (is_over() || !record || record->state == State::absent) return;
  suspect_its_work(*record, worker, now_s);
  set_state(*record, State::absent, now_s);
  doom_others(worker, now_s);
  scheduler_->left(worker);
  // Newest first, so that the pool, which gives what came back last, gives the oldest first.
  while (record->holds.newest != OutstandingChunks::none) {
    const std::uint32_t number = record->holds.newest;
    const Slot& slot = chunks_[number];
    const OpenRange range{.chunk = slot.chunk, .contest = slot.contest, .failures = slot.failures};
    release(*record, number);
    reclaim(worker, range);
    assess_returned(range.chunk);
  }
  assess_withheld();
  look_at_host(worker, now_s, out);
  pass_verdict(now_s, out);
  feed_hungry(now_s, out);
  look_after_stranded(now_s, out);
}

void Dispatcher::silent(WorkerId worker, double now_s, Decisions& out) {
  Worker* record = find(worker);
  if (is_over() || !record || record->state == State::absent || record->state == State::silent ||
      record->state == State::overdue || record->state == State::cut_off)
    return;
  set_state(*record, record->state == State::leaving ? State::overdue : State::silent, now_s);
  doom_others(worker, now_s);
  contest_all(*record, worker);
  feed_hungry(now_s, out);
  look_after_stranded(now_s, out);
}

void Dispatcher::heard(WorkerId worker, double now_s, Decisions& out) {
  Worker* record = find(worker);
  if (is_over() || !record || record->state != State::silent) return;
  if (faults_.is_aside(worker)) return set_state(*record, State::aside, now_s);
  set_state(*record, State::present, now_s);
  stranded_s_.reset();
  feed(*record, worker, now_s, out);
}

void Dispatcher::note_failure(WorkerId worker, Chunk chunk, bool is_known_bad, double now_s, Decisions& out) {
  if (is_known_bad) {
    if (faults_.failed_again(worker, chunk)) clear(now_s, out);
    return;
  }
  faults_.failed(worker, chunk);
  look_at_host(worker, now_s, out);
}

/// Something happened on the worker's host; where it does elsewhere, too, it may be the loop's own.
void Dispatcher::look_at_host(WorkerId worker, double now_s, Decisions& out) {
  if (faults_.is_aside(worker) || !faults_.has_enough(worker) || !is_anybody_sound_beside(worker)) return;
  faults_.set_aside(worker);
  for (std::uint32_t number = 0; number < workers_.size(); ++number)
    if (const WorkerId other{number};
        faults_.is_aside(other) && (other == worker || workers_[number].state != State::absent))
      set_aside(workers_[number], other, now_s, out);
  assess_returned();
}

bool Dispatcher::is_anybody_sound_beside(WorkerId worker) const {
  for (std::uint32_t number = 0; number < workers_.size(); ++number)
    if (workers_[number].state != State::absent && workers_[number].contribution.chunks > 0 &&
        faults_.is_sound_beside(WorkerId{number}, worker))
      return true;
  return false;
}

void Dispatcher::set_aside(Worker& record, WorkerId worker, double now_s, Decisions& out) {
  if (record.state == State::present) set_state(record, State::aside, now_s);
  if (record.state == State::aside) contest_all(record, worker);
  out.push_back({.kind = Decision::Kind::set_aside, .worker = worker});
}

// --- Suspected iterations

/// The worker is lost now. A worker that was leaving, or set aside, was perhaps ended on purpose, and a
/// silent one computed nothing. The work of one that was cut off is suspect already.
void Dispatcher::suspect_its_work(const Worker& record, WorkerId worker, double now_s) {
  const bool was_sound = record.state == State::present || record.state == State::doomed;
  if (was_sound && !faults_.is_aside(worker))
    faults_.lost(worker, work_of(record, worker, now_s), attended_s(now_s), now_s);
}

/// The work that may have ended a worker: chunks that it has not begun have nothing to do with its end.
Faults::Work Dispatcher::work_of(const Worker& record, WorkerId worker, double now_s) const {
  Faults::Work work;
  double begun_s = now_s;
  chunks_.for_each(record.holds, [&](std::uint32_t number) {
    const Slot& slot = chunks_[number];
    if (!slot.is_begun() || !is_open(worker, chunks_.id(number))) return;
    const Chunk computed{slot.chunk.first, slot.done()};
    if (computed.size > 0) work.computed.push_back(computed);
    for (const Chunk rest : difference(slot.chunk, computed)) work.open.push_back(rest);
    begun_s = std::min(begun_s, std::max(slot.assigned_s, record.returned_s));
  });
  work.worked_s = now_s - begun_s;
  return work;
}

void Dispatcher::assess(OpenRange& range) const {
  range.losses = faults_.losses(range.chunk);
  range.rests_until_s = range.losses >= 2 ? faults_.last_loss_s(range.chunk) + rules_.rest_s : 0;
  range.is_withheld =
      range.losses >= rules_.crash_limit && faults_.culprit(range.chunk, iterations_).has_value();
}

/// Assesses the ranges that came back and contain some of these iterations.
void Dispatcher::assess_returned(Chunk among) {
  pool_.for_each_returned([&](OpenRange& range) {
    if (intersection(range.chunk, among).size > 0) assess(range);
  });
}

/// One more loss elsewhere makes the losses with the withheld iterations less unlikely.
void Dispatcher::assess_withheld() {
  pool_.for_each_returned([this](OpenRange& range) {
    if (range.is_withheld) assess(range);
  });
}

void Dispatcher::assess_returned() {
  pool_.for_each_returned([this](OpenRange& range) { assess(range); });
}

/// Some faults were taken back: whoever and whatever was suspected for them is cleared.
void Dispatcher::clear(double now_s, Decisions& out) {
  assess_returned();
  for (std::uint32_t number = 0; number < workers_.size(); ++number) {
    Worker& record = workers_[number];
    if (record.state != State::aside || faults_.is_aside(WorkerId{number})) continue;
    set_state(record, State::present, now_s);
    stranded_s_.reset();
    wait_hungry(record, WorkerId{number});
  }
  feed_hungry(now_s, out);
}

bool Dispatcher::is_all_else_done() const {
  Index withheld = 0;
  pool_.for_each_withheld([&](Chunk range) { withheld += range.size; });
  return outstanding() == 0 && remaining() == withheld;
}

std::optional<Faults::Culprit> Dispatcher::first_culprit() const {
  std::optional<Faults::Culprit> first;
  pool_.for_each_withheld([&](Chunk range) {
    const std::optional<Faults::Culprit> culprit = faults_.culprit(range, iterations_);
    if (culprit && (!first || culprit->since_s < first->since_s)) first = culprit;
  });
  return first;
}

/// Passes a verdict once all other iterations are done. The host may be to blame instead, if another host has
/// proved sound since.
void Dispatcher::pass_verdict(double now_s, Decisions& out) {
  std::optional<Faults::Culprit> culprit = first_culprit();
  if (!culprit || present_ == 0 || !is_all_else_done() || now_s < verdict_s(*culprit)) return;
  look_at_host(culprit->worker, now_s, out);
  culprit = first_culprit();
  if (!culprit) return feed_hungry(now_s, out);
  if (present_ > 0 && now_s >= verdict_s(*culprit)) convict(*culprit, out);
}

/// Ends the loop because of the culprit, or leaves the iteration out.
void Dispatcher::convict(const Faults::Culprit& culprit, Decisions& out) {
  const Chunk chunk{culprit.iteration, 1};
  if (rules_.on_failure != OnFailure::skip) return end(Ending::culprit, culprit.worker, chunk, out);
  const std::optional<OpenRange> range = pool_.take_withheld(chunk);
  ++skipped_;
  if (range->contest != Contests::none) contests_.close(range->contest, chunk);
  out.push_back(
      {.kind = Decision::Kind::skip, .ending = Ending::culprit, .worker = culprit.worker, .chunk = chunk});
  conclude(out);
}

/// While somebody is present: when nobody who was lost with it is expected any more.
double Dispatcher::verdict_s(const Faults::Culprit& culprit) const {
  return anybody_since_s_ + (culprit.since_s - attended_s_) +
         std::min(rules_.verdict_after_s, rules_.patience_s.value_or(rules_.verdict_after_s));
}

/// For how long anybody has been present.
double Dispatcher::attended_s(double now_s) const {
  return attended_s_ + (present_ > 0 ? now_s - anybody_since_s_ : 0);
}

/// The worker cannot be relied on any more: if results land aside and copies are allowed, others may compute
/// its chunks, too.
void Dispatcher::contest_all(Worker& record, WorkerId worker) {
  if (landing() != Landing::aside || rules_.copies == Copies::never) return;
  for (auto slot = record.holds.newest; slot != OutstandingChunks::none; slot = chunks_[slot].older_held) {
    const std::uint32_t contest = contests_.about(slot, chunks_);
    const Slot& held = chunks_[slot];
    reclaim(worker, {.chunk = held.chunk, .contest = contest, .failures = held.failures});
  }
}

}  // namespace loadshare
