#include "runtime/dispatch/dispatcher.hpp"

#include <string>
#include <utility>

#include "base/error.hpp"

namespace loadshare {
namespace {

constexpr double never_s = std::numeric_limits<double>::infinity();

}  // namespace

void Dispatcher::throw_bad_size(Index size, Index remaining) {
  throw Error(ExitCode::run_failed, "the scheduler wants a chunk of " + std::to_string(size) + " iterations",
              "a size must lie within 1 and the " + std::to_string(remaining) + " that remain",
              "correct its next()");
}

Dispatcher::Dispatcher(std::vector<Chunk> open, std::unique_ptr<ChunkScheduler> scheduler,
                       DispatchRules rules)
    : rules_(rules),
      scheduler_(std::move(scheduler)),
      pool_(open),
      chunks_(rules.reissue == Reissue::on ? OutstandingChunks::Copies::possible
                                           : OutstandingChunks::Copies::never),
      is_closed_(!rules.is_nested) {
  for (const Chunk range : open)
    if (range.size < 0)
      throw UsageError("a loop of " + std::to_string(range.size) + " iterations",
                       "there can be none, but not fewer");
  if (!scheduler_) throw UsageError("no scheduler for the loop");
  iterations_ = pool_.remaining();
  if (iterations_ == 0 && is_closed_) ending_ = Ending::finished;
}

// --- The workers

void Dispatcher::set_state(Worker& record, State state) {
  present_ += (state == State::present ? 1 : 0) - (record.state == State::present ? 1 : 0);
  record.state = state;
  const bool is_doubted = state != State::present && state != State::leaving;
  chunks_.for_each(record.holds, [&](std::uint32_t slot) { chunks_[slot].marks.is_doubted = is_doubted; });
}

void Dispatcher::joined(WorkerId worker, const WorkerFacts& facts, double now_s, Decisions& out) {
  if (is_over()) return;
  const std::size_t number = to_number(worker);
  if (number >= workers_.size()) workers_.resize(number + 1);
  Worker& record = workers_[number];
  set_state(record, State::present);
  record.window = std::max<std::uint32_t>(1, facts.window);
  record.leaves_at_s = now_s + facts.time_left_s;
  scheduler_->joined(worker, facts);
  if (!first_joined_s_) first_joined_s_ = now_s;
  stranded_s_.reset();
  feed(record, worker, now_s, out);
  start_if_gathered(now_s, out);
}

void Dispatcher::changed(WorkerId worker, const WorkerFacts& facts, double now_s, Decisions& out) {
  Worker* record = find(worker);
  if (is_over() || !record || record->state == State::absent) return;
  record->window = std::max<std::uint32_t>(1, facts.window);
  if (record->state != State::present) return;
  record->leaves_at_s = now_s + facts.time_left_s;
  feed(*record, worker, now_s, out);
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

void Dispatcher::leaving(WorkerId worker, double deadline_s, double now_s, Decisions& out) {
  Worker* record = find(worker);
  if (is_over() || !record || record->state == State::absent) return;
  set_state(*record, State::leaving);
  record->leaves_at_s = deadline_s;
  chunks_.for_each(record->holds, [&](std::uint32_t slot) {
    if (!chunks_[slot].is_begun() && slot != record->holds.oldest && chunks_[slot].recall())
      decide(Decision::Kind::recall, worker, chunks_.id(slot), chunks_[slot].chunk, out);
  });
  settle(*record, worker, now_s, out);
  feed_hungry(now_s, out);  // who is alone now takes also what it failed on
  look_after_stranded(now_s, out);
}

/// It holds nothing: if it was leaving, it has left.
void Dispatcher::depart(Worker& record, WorkerId worker) {
  if (record.state != State::leaving && record.state != State::overdue) return;
  set_state(record, State::absent);
  scheduler_->left(worker);
}

void Dispatcher::lost(WorkerId worker, double now_s, Decisions& out) {
  Worker* record = find(worker);
  if (is_over() || !record || record->state == State::absent) return;
  set_state(*record, State::absent);
  scheduler_->left(worker);
  std::optional<Chunk> culprit;
  // Newest first, so that the pool, which gives what came back last, gives the oldest first.
  while (record->holds.newest != OutstandingChunks::none) {
    const std::uint32_t number = record->holds.newest;
    const Slot& slot = chunks_[number];
    OpenRange range{slot.chunk, slot.contest, slot.losses, slot.failures};
    if (slot.is_begun() || number == record->holds.oldest) ++range.losses;
    release(*record, number);
    reclaim(worker, range);
    if (rules_.most_losses > 0 && range.losses >= rules_.most_losses) culprit = range.chunk;
  }
  if (culprit) return end(Ending::culprit, worker, *culprit, out);
  feed_hungry(now_s, out);
  look_after_stranded(now_s, out);
}

void Dispatcher::silent(WorkerId worker, double now_s, Decisions& out) {
  Worker* record = find(worker);
  if (is_over() || !record || record->state != State::present) return;
  set_state(*record, State::silent);
  contest_all(*record, worker);
  feed_hungry(now_s, out);
  look_after_stranded(now_s, out);
}

void Dispatcher::heard(WorkerId worker, double now_s, Decisions& out) {
  Worker* record = find(worker);
  if (is_over() || !record || record->state != State::silent) return;
  set_state(*record, State::present);
  stranded_s_.reset();
  feed(*record, worker, now_s, out);
}

/// What a worker holds that cannot be relied on any more: where results land aside, others may compute it,
/// too.
void Dispatcher::contest_all(Worker& record, WorkerId worker) {
  if (landing() != Landing::aside) return;
  for (auto slot = record.holds.newest; slot != OutstandingChunks::none; slot = chunks_[slot].older_held) {
    const std::uint32_t contest = contests_.about(slot, chunks_);
    contests_.queue(contest);
    const Slot& held = chunks_[slot];
    reclaim(worker, {held.chunk, contest, held.losses, held.failures});
  }
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
  const OpenRange range{not_begun, slot.contest, slot.losses, slot.failures};
  slot.marks.is_recalled = false;
  if (not_begun.size == slot.chunk.size) {
    release(record, id.slot);
  } else {
    slot.chunk.size -= not_begun.size;
    in_progress_ -= std::max<Index>(0, slot.progress - slot.chunk.size);
    slot.progress = std::min(slot.progress, slot.chunk.size);
  }
  reclaim(worker, range);
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
    retry_or_skip(worker, {part, slot.contest, slot.losses, failures, worker}, is_known ? at : std::nullopt,
                  out);
    if (is_over()) return;
  }
  if (is_contested) contests_.queue(slot.contest);
  settle(record, worker, now_s, out);
  feed_hungry(now_s, out);
  look_after_stranded(now_s, out);
}

/// Nobody else has `part`, on which `worker` failed.
void Dispatcher::retry_or_skip(WorkerId worker, OpenRange part, std::optional<Index> at, Decisions& out) {
  const Chunk chunk = part.chunk;
  scheduler_->reclaimed(worker, chunk);
  if (part.failures <= rules_.retries) return pool_.give_back(part);
  if (chunk.size == 1) return give_up_on(chunk.first, part, out);
  if (at && intersection(chunk, {*at, 1}).size == 1) return give_up_on(*at, part, out);
  const Index half = chunk.size / 2;
  OpenRange second = part;
  second.chunk = {chunk.first + half, chunk.size - half};
  part.chunk.size = half;
  pool_.give_back(second);
  pool_.give_back(part);
}

void Dispatcher::give_up_on(Index iteration, const OpenRange& part, Decisions& out) {
  const Chunk culprit{iteration, 1};
  if (rules_.on_failure == OnFailure::retry) return end(Ending::failed, *part.failed_on, culprit, out);
  ++skipped_;
  if (part.contest != Contests::none) contests_.close(part.contest, culprit);
  out.push_back({.kind = Decision::Kind::skip, .worker = *part.failed_on, .chunk = culprit});
  for (const Chunk rest : difference(part.chunk, culprit))
    pool_.give_back({.chunk = rest, .contest = part.contest, .losses = part.losses});
}

// --- What comes back, and copies

/// These iterations came back; those that others have stay with them.
void Dispatcher::reclaim(WorkerId worker, const OpenRange& range) {
  if (range.contest == Contests::none) {
    pool_.give_back(range);
    return scheduler_->reclaimed(worker, range.chunk);
  }
  for (const Chunk part : contests_.uncovered(range.contest, chunks_, pool_)) {
    OpenRange open = range;
    open.chunk = part;
    pool_.give_back(open);
    scheduler_->reclaimed(worker, part);
  }
  contests_.queue(range.contest);
}

void Dispatcher::give_cut(Worker& record, WorkerId worker, IterationPool::Part part, const Cut& cut,
                          double now_s, Decisions& out) {
  std::optional<OpenRange> range;
  if (cut.from && !rules_.is_nested) range = pool_.take_from(*cut.from, cut.size);
  give(record, worker, range ? *range : pool_.take(part, cut.size), false, now_s, out);
}

void Dispatcher::give(Worker& record, WorkerId worker, const OpenRange& range, bool is_copy, double now_s,
                      Decisions& out) {
  if (!is_copy) scheduler_->assigned(worker, range.chunk);
  may_idle_copy_ |= range.failed_on.has_value();
  const ChunkId id = chunks_.add(record.holds, worker, range, now_s);
  if (range.contest != Contests::none) contests_.enter(range.contest, id.slot);
  chunks_[id.slot].marks.is_copy = is_copy;
  record.contribution.copies += is_copy ? 1 : 0;
  decide(Decision::Kind::give, worker, id, range.chunk, out);
}

bool Dispatcher::copy(Worker& record, WorkerId worker, double now_s, Decisions& out) {
  const std::optional<OpenRange> range = contests_.next_to_copy(chunks_);
  if (!range) return false;
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

void Dispatcher::withdraw(Index most, Decisions& out) {
  while (!is_over() && most > 0) {
    const Chunk range = pool_.withdraw(most);
    if (range.size == 0) break;
    most -= range.size;
    iterations_ -= range.size;
    out.push_back({.kind = Decision::Kind::surrender, .chunk = range});
  }
  conclude(out);
}

void Dispatcher::tick(double now_s, Decisions& out) {
  if (is_over()) return;
  if (first_joined_s_) start_if_gathered(now_s, out);
  for (std::uint32_t number = 0; number < workers_.size(); ++number) {
    Worker& record = workers_[number];
    if (record.state != State::leaving || now_s < record.leaves_at_s) continue;
    set_state(record, State::overdue);
    contest_all(record, WorkerId{number});
    feed_hungry(now_s, out);
  }
  look_after_stranded(now_s, out);
}

std::optional<double> Dispatcher::next_tick_s() const {
  double next_s = never_s;
  if (is_over()) return std::nullopt;
  if (!has_gathered_ && first_joined_s_) next_s = *first_joined_s_ + rules_.gathering_s;
  if (stranded_s_ && rules_.patience_s) next_s = std::min(next_s, *stranded_s_ + *rules_.patience_s);
  for (const Worker& record : workers_)
    if (record.state == State::leaving) next_s = std::min(next_s, record.leaves_at_s);
  return next_s < never_s ? std::optional(next_s) : std::nullopt;
}

void Dispatcher::look_after_stranded(double now_s, Decisions& out) {
  if (is_over() || present_ > 0 || remaining() == 0) return;
  if (!stranded_s_) {
    stranded_s_ = now_s;
    out.push_back({.kind = Decision::Kind::wait});
  }
  if (rules_.patience_s && now_s >= *stranded_s_ + *rules_.patience_s) end(Ending::stranded, {}, {}, out);
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
