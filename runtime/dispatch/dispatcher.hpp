#pragma once

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "base/types.hpp"
#include "runtime/dispatch/contests.hpp"
#include "runtime/dispatch/decision.hpp"
#include "runtime/dispatch/faults.hpp"
#include "runtime/dispatch/iteration_pool.hpp"
#include "runtime/dispatch/outstanding_chunks.hpp"
#include "runtime/dispatch/rules.hpp"
#include "schedulers/chunk_scheduler.hpp"

namespace loadshare {

/// Decides who works on what: owns the iterations that nobody has and the scheduler that cuts them, knows who
/// holds what, whom to give more, what to give again and which results count, and commits every iteration
/// exactly once, whoever joins, leaves, dies, falls silent or returns late.
///
/// Events in, decisions out: each event appends to `out` what is to be done about it, in order. Pure: no I/O,
/// no clock, no transport; a transport, a test or the predictor tells it what happened and hands in the time
/// (seconds from any fixed instant, on one clock). One caller at a time, and no call while decisions are
/// carried out. Once the loop has ended, events change nothing. Workers are numbered densely from 0, and one
/// that comes back keeps its number. An ordinary chunk takes constant time, whatever the number of workers
/// and iterations, and no memory once as many have been out at once as ever will be.
///
/// Whoever wants to know of every commit, for a journal or a trace, reads the decisions to publish: together
/// they name each committed iteration once.
///
/// Throws Error (run_failed) where the scheduler's answer is out of range, and whatever the scheduler throws;
/// nothing was given then, what was decided before stands in `out`, and the caller ends the loop.
class Dispatcher {
 public:
  /// `open`: the ranges to be computed, disjoint, given in this order: the whole loop, or what an earlier run
  /// left. Throws UsageError where a range's size is negative or there is no scheduler.
  Dispatcher(std::vector<Chunk> open, std::unique_ptr<ChunkScheduler> scheduler, DispatchRules rules = {});
  /// The iterations [0, `iterations`).
  Dispatcher(Index iterations, std::unique_ptr<ChunkScheduler> scheduler, DispatchRules rules = {})
      : Dispatcher(std::vector{Chunk{0, iterations}}, std::move(scheduler), rules) {}

  // The workers.

  /// The worker may be given work: at the start, late, or again after it left or was lost.
  void joined(WorkerId worker, const WorkerFacts& facts, double now_s, Decisions& out);
  /// It gets no more, and is asked for the chunks that it has not begun; it has left when it holds nothing.
  /// If results land aside and copies are allowed, others get what it still holds at `deadline_s`.
  void leaving(WorkerId worker, double deadline_s, double now_s, Decisions& out);
  /// It is surely gone: what only it held will be given again, and its later results count no more. What it
  /// had begun, by what was said of it, may be to blame. All workers of a process (WorkerFacts) are lost, or
  /// silent, together: once it was said of one, the others get nothing until it is said of them.
  void lost(WorkerId worker, double now_s, Decisions& out);
  /// Its connection has ended, and at `gone_at_s` it is surely gone, because its lease has run out by then.
  /// If copies are allowed, it is lost immediately. Otherwise it is lost at that time, and keeps its chunks
  /// until then. A worker that joins again has stopped its earlier work, which is then lost.
  void cut_off(WorkerId worker, double gone_at_s, double now_s, Decisions& out);
  /// Nothing was received from it for long: it gets no more. If results land aside and copies are allowed,
  /// others get what it holds. Its late results count if they are the first.
  void silent(WorkerId worker, double now_s, Decisions& out);
  void heard(WorkerId worker, double now_s, Decisions& out);

  // Their chunks. What names an assignment that the worker does not hold changes nothing.

  /// So many of its iterations are done; 0: it is begun. Workers begin their chunks in the order they were
  /// given, some of them together: so are all that it was given before this one.
  void progressed(WorkerId worker, ChunkId id, Index done);
  /// A result is here. Of `measured` computing, waiting and being held count; the rest is known here.
  void returned(WorkerId worker, ChunkId id, const ChunkTimes& measured, double now_s, Decisions& out);
  /// It has not begun these iterations, all or the last ones of the assignment, and will not.
  void handed_back(WorkerId worker, ChunkId id, Chunk not_begun, double now_s, Decisions& out);
  /// It cannot compute the assignment, for its iteration `at` where that is known.
  void failed(WorkerId worker, ChunkId id, std::optional<Index> at, double now_s, Decisions& out);

  // A loop that grows (DispatchRules::may_grow).

  /// Adds iterations to the loop. `range` must be disjoint from all that the loop had before.
  void opened(Chunk range, double now_s, Decisions& out);
  /// No more iterations will be opened.
  void closed(Decisions& out);

  // An early end.

  /// From now on nothing is given, and chunks that are not begun are recalled. The loop ends as drained at
  /// the first tick at which no worker holds a chunk any more.
  void drain(Decisions& out);

  // The time.

  void tick(double now_s, Decisions& out);
  /// When `tick` has something to do; nothing: not before another event. Where no worker ever joined, waiting
  /// for one begins with the first tick.
  std::optional<double> next_tick_s() const;

  Ending ending() const { return ending_; }
  const DispatchRules& rules() const { return rules_; }
  bool is_over() const { return ending_ != Ending::open; }
  // remaining + outstanding + committed + skipped = iterations, always.
  Index iterations() const { return iterations_; }
  Index remaining() const { return pool_.remaining(); }  ///< nobody has them
  Index outstanding() const { return iterations_ - remaining() - committed_ - skipped_; }
  Index committed() const { return committed_; }
  Index skipped() const { return skipped_; }
  /// Committed, and as far as workers said within the chunks that they hold.
  Index done() const { return std::min(committed_ + in_progress_, iterations_); }

  /// Every slot given so far is below this. Grows with what is out at once, never with the loop.
  std::uint32_t slots() const { return chunks_.slots(); }
  /// Workers that may be given work.
  Index workers_present() const { return present_; }
  /// Whether nothing is expected of the worker any more: it has left, or its deadline is over.
  bool may_go(WorkerId worker) const;
  /// How many assignments the worker has not returned, those that others finished first among them.
  std::uint32_t held_count(WorkerId worker) const;
  /// These assignments, oldest first.
  std::vector<Assignment> held(WorkerId worker) const;
  /// What the worker holds by this name, and since when.
  struct Holding {
    Chunk chunk;
    double assigned_s = 0;
  };
  std::optional<Holding> holding(WorkerId worker, ChunkId id) const;
  /// What a worker computes: the oldest assignment that it holds, unless its result is no longer needed.
  struct InWork {
    Chunk chunk;
    double since_s = 0;  ///< when it was given, or its worker returned the previous chunk
    Index done = 0;      ///< iterations that its worker reported as done
    Index queued = 0;    ///< iterations queued after it
  };
  std::optional<InWork> in_work(WorkerId worker) const;
  /// Whether the worker holds this assignment and some of it would count.
  bool is_open(WorkerId worker, ChunkId id) const;

  /// What a worker's results came to.
  struct Contribution {
    Index chunks = 0;                ///< of which something counted
    Index iterations = 0;            ///< that counted
    std::uint32_t copies = 0;        ///< chunks that another had, too, when it got them
    std::uint32_t copies_first = 0;  ///< of these, those of which something counted
  };
  Contribution contribution(WorkerId worker) const;
  /// What the scheduler found out, for the same loop again.
  Learned learned() const { return scheduler_->learned(); }

 private:
  enum class State : std::uint8_t { absent, present, doomed, silent, leaving, overdue, aside, cut_off };
  struct alignas(64) Worker {  // one cache line
    OutstandingChunks::OfWorker holds;
    std::uint32_t window = 1;
    State state = State::absent;
    bool is_hungry = false;                                        // would take more
    bool has_suspect = false;                                      // holds one, and gets nothing more
    double returned_s = -std::numeric_limits<double>::infinity();  // its latest return
    double leaves_at_s = std::numeric_limits<double>::infinity();  // or, cut off, is surely gone
    Contribution contribution;
  };
  using Slot = OutstandingChunks::Slot;

  Worker* find(WorkerId worker);
  const Worker* find(WorkerId worker) const;
  void set_state(Worker& record, State state, double now_s);
  void doom_others(WorkerId of_process, double now_s);
  Landing landing() const { return rules_.landing; }

  void feed(Worker& record, WorkerId worker, double now_s, Decisions& out);
  bool give_one(Worker& record, WorkerId worker, double now_s, Decisions& out);
  bool give_suspect(Worker& record, WorkerId worker, double now_s, Decisions& out);
  void cut(Worker& record, WorkerId worker, IterationPool::Part part, double now_s, Decisions& out);
  void give(Worker& record, WorkerId worker, const OpenRange& range, bool is_copy, double now_s,
            Decisions& out);
  void give_cut(Worker& record, WorkerId worker, IterationPool::Part part, const Cut& cut, double now_s,
                Decisions& out);
  bool copy(Worker& record, WorkerId worker, double now_s, Decisions& out);
  void start_if_gathered(double now_s, Decisions& out);
  void feed_hungry(double now_s, Decisions& out);
  void feed_idlest(double now_s, Decisions& out);
  void wait_hungry(Worker& record, WorkerId worker);
  void recall_not_begun(const Worker& record, Decisions& out);
  std::uint32_t newest_queued(const Worker& record, std::uint32_t longer_than) const;
  bool take_back_for(const Worker& record, Decisions& out);

  void decide(Decision::Kind kind, WorkerId worker, ChunkId id, Chunk chunk, Decisions& out);
  void publish(Worker& record, WorkerId worker, ChunkId id, Chunk chunk, Decisions& out);
  void discard(WorkerId worker, ChunkId id, Decisions& out);
  bool publish_open_parts(Worker& record, WorkerId worker, ChunkId id, Decisions& out);
  void release(Worker& record, std::uint32_t slot);
  void settle(Worker& record, WorkerId worker, double now_s, Decisions& out);
  void lose_whose_lease_has_run_out(double now_s, Decisions& out);
  void depart(Worker& record, WorkerId worker, double now_s);
  void give_back(OpenRange range);
  void reclaim(WorkerId worker, const OpenRange& range);
  void note_failure(WorkerId worker, Chunk chunk, bool is_known_bad, double now_s, Decisions& out);
  void look_at_host(WorkerId worker, double now_s, Decisions& out);
  bool is_anybody_sound_beside(WorkerId worker) const;
  void suspect_its_work(const Worker& record, WorkerId worker, double now_s);
  Faults::Work work_of(const Worker& record, WorkerId worker, double now_s) const;
  void assess(OpenRange& range) const;
  void assess_returned(Chunk among);
  void assess_returned();
  void assess_withheld();
  void clear(double now_s, Decisions& out);
  std::optional<Faults::Culprit> first_culprit() const;
  bool is_all_else_done() const;
  void pass_verdict(double now_s, Decisions& out);
  void convict(const Faults::Culprit& culprit, Decisions& out);
  double verdict_s(const Faults::Culprit& culprit) const;
  double attended_s(double now_s) const;
  void set_aside(Worker& record, WorkerId worker, double now_s, Decisions& out);
  void contest_all(Worker& record, WorkerId worker);
  void retry_or_skip(WorkerId worker, OpenRange part, std::optional<Index> at, Decisions& out);
  void give_up_on(Index iteration, const OpenRange& part, Decisions& out);

  void look_after_stranded(double now_s, Decisions& out);
  void conclude(Decisions& out);
  void end(Ending ending, WorkerId worker, Chunk where, Decisions& out);
  [[noreturn]] static void throw_bad_size(Index size, Index remaining);

  Index iterations_ = 0;
  Index committed_ = 0;
  Index skipped_ = 0;
  Index in_progress_ = 0;
  Index present_ = 0;
  DispatchRules rules_;
  std::unique_ptr<ChunkScheduler> scheduler_;
  IterationPool pool_;
  OutstandingChunks chunks_;
  std::vector<Worker> workers_;
  Faults faults_;
  bool has_gathered_ = false;
  bool may_idle_copy_ = false;  // what they would not take is not free any more
  bool is_closed_ = true;
  bool is_draining_ = false;
  Ending ending_ = Ending::open;
  Contests contests_;
  std::vector<WorkerId> hungry_;
  std::optional<double> first_joined_s_, stranded_s_;
  double anybody_since_s_ = 0;  // where anybody is present
  double ticked_s_ = -std::numeric_limits<double>::infinity();
  double attended_s_ = 0;  // for so long somebody had been present before
};

// What every chunk passes through stands here, so that a simulation of millions makes no calls for it.

inline void Dispatcher::returned(WorkerId worker, ChunkId id, const ChunkTimes& measured, double now_s,
                                 Decisions& out) {
  if (is_over()) return;
  if (!chunks_.holds(worker, id)) return discard(worker, id, out);
  Worker& record = workers_[to_number(worker)];
  const Slot& slot = chunks_[id.slot];
  // How long it held the result the worker says, and what it says is not to change when others were busy.
  const double given_s = std::max(slot.assigned_s, record.returned_s);
  const double ended_s = std::min(std::max(now_s - measured.held_s, given_s), now_s);
  const bool is_contested = slot.contest != Contests::none;
  if (!is_contested) publish(record, worker, id, slot.chunk, out);
  if (!is_contested || publish_open_parts(record, worker, id, out)) {
    ++record.contribution.chunks;
    const double busy_s = ended_s - given_s;
    faults_.returned(worker, slot.chunk, busy_s);
    record.contribution.copies_first += slot.marks.is_copy ? 1 : 0;
    scheduler_->completed(
        {worker, slot.chunk, busy_s, measured.compute_s, measured.waiting_s, measured.held_s});
  }
  may_idle_copy_ |= record.has_suspect;      // others of its process may have waited
  may_idle_copy_ |= slot.marks.is_recalled;  // somebody may have waited for it instead of copying
  release(record, id.slot);
  record.returned_s = ended_s;
  settle(record, worker, now_s, out);
}

inline void Dispatcher::publish(Worker& record, WorkerId worker, ChunkId id, Chunk chunk, Decisions& out) {
  committed_ += chunk.size;
  record.contribution.iterations += chunk.size;
  decide(Decision::Kind::publish, worker, id, chunk, out);
}

inline void Dispatcher::decide(Decision::Kind kind, WorkerId worker, ChunkId id, Chunk chunk,
                               Decisions& out) {
  // In place: who reads a decision soon after it was copied, or made field by field, waits for its parts.
  out.emplace_back(kind, Ending::open, landing(), bool{chunks_[id.slot].marks.is_copy}, worker, id, chunk);
}

// After an assignment came back, one way or another.
inline void Dispatcher::settle(Worker& record, WorkerId worker, double now_s, Decisions& out) {
  if (committed_ + skipped_ == iterations_ && is_closed_) return conclude(out);
  if (record.state == State::present) return feed(record, worker, now_s, out);
  if (record.holds.count == 0) depart(record, worker, now_s);
  if (may_idle_copy_) feed_hungry(now_s, out);
}

inline void Dispatcher::feed(Worker& record, WorkerId worker, double now_s, Decisions& out) {
  const std::uint32_t most = has_gathered_ ? record.window : 1;
  while (record.holds.count < most)
    if (!give_one(record, worker, now_s, out)) break;
  if (record.holds.count < record.window) wait_hungry(record, worker);
  if (may_idle_copy_) feed_hungry(now_s, out);
}

inline void Dispatcher::wait_hungry(Worker& record, WorkerId worker) {
  if (record.is_hungry) return;
  record.is_hungry = true;
  hungry_.push_back(worker);
}

inline bool Dispatcher::give_one(Worker& record, WorkerId worker, double now_s, Decisions& out) {
  if (record.has_suspect || is_draining_) return false;
  const IterationPool::Part part = pool_.part_for(worker, present_ <= 1);
  if (part != IterationPool::Part::none) {
    cut(record, worker, part, now_s, out);
    return true;
  }
  if (record.holds.count > 0) return false;
  // Suspected iterations, and then copies of unfinished chunks, are for workers with nothing else to do.
  if (remaining() > 0) return give_suspect(record, worker, now_s, out);
  return rules_.reissue == Reissue::on && copy(record, worker, now_s, out);
}

inline void Dispatcher::cut(Worker& record, WorkerId worker, IterationPool::Part part, double now_s,
                            Decisions& out) {
  const Cut cut = scheduler_->next(
      {worker, pool_.first(part), remaining(), outstanding(), present_, now_s, record.leaves_at_s - now_s});
  if (cut.size < 1 || cut.size > remaining()) throw_bad_size(cut.size, remaining());
  if (part == IterationPool::Part::returned || cut.from)
    return give_cut(record, worker, part, cut, now_s, out);
  const Chunk chunk = pool_.take_fresh(cut.size);
  scheduler_->assigned(worker, chunk);
  decide(Decision::Kind::give, worker, chunks_.add(record.holds, worker, chunk, now_s), chunk, out);
}

inline void Dispatcher::release(Worker& record, std::uint32_t slot) {
  in_progress_ -= chunks_[slot].done();
  const std::uint32_t contest = chunks_[slot].contest;
  chunks_.release(record.holds, slot);
  record.has_suspect = false;
  if (contest != Contests::none) contests_.leave(contest, slot);
}

inline Dispatcher::Worker* Dispatcher::find(WorkerId worker) {
  return to_number(worker) < workers_.size() ? &workers_[to_number(worker)] : nullptr;
}

inline const Dispatcher::Worker* Dispatcher::find(WorkerId worker) const {
  return to_number(worker) < workers_.size() ? &workers_[to_number(worker)] : nullptr;
}

}  // namespace loadshare
