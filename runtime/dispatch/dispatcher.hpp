#pragma once

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "base/types.hpp"
#include "runtime/dispatch/outstanding_chunks.hpp"
#include "schedulers/chunk_scheduler.hpp"

namespace loadshare {

/// The iterations nobody has: those never given away, and the ranges that came back from lost workers.
class IterationPool {
 public:
  explicit IterationPool(Index iterations) : fresh_{0, iterations}, remaining_(iterations) {}

  Index remaining() const { return remaining_; }

  /// Cuts off up to `size` >= 1 iterations; fewer where a returned range is shorter. Returned ranges go
  /// first: they have waited longest. The pool must not be empty.
  Chunk take(Index size) {
    Chunk& range = returned_.empty() ? fresh_ : returned_.back();
    const Chunk cut{range.first, std::min(size, range.size)};
    range = {cut.end(), range.size - cut.size};
    remaining_ -= cut.size;
    if (!returned_.empty() && returned_.back().size == 0) returned_.pop_back();
    return cut;
  }

  void give_back(Chunk chunk) {
    returned_.push_back(chunk);
    remaining_ += chunk.size;
  }

 private:
  Chunk fresh_;
  Index remaining_;
  std::vector<Chunk> returned_;  // none of them empty
};

/// What became of a result: `first` is to be kept, `duplicate` to be dropped.
enum class Commit { first, duplicate };

/// At the tail, give unfinished chunks again to idle workers?
enum class Reissue { off, on };

/// Decides who works on what: owns the pool of iterations and the scheduler that cuts it, knows who holds
/// what, and commits every iteration exactly once, whoever joins, leaves, dies or returns late.
///
/// Pure: no I/O, no clock, no transport; a transport, a test or the predictor asks, and hands in the time
/// (seconds from any fixed instant, on one clock). One caller at a time. Workers are numbered densely from 0;
/// an assign and its complete take constant time, whatever the number of workers and iterations, and no
/// memory once as many chunks have been out at once as ever will be.
class Dispatcher {
 public:
  /// A loop of `iterations` >= 0. Throws UsageError when it is negative or there is no scheduler.
  Dispatcher(Index iterations, std::unique_ptr<ChunkScheduler> scheduler, Reissue reissue = Reissue::off);

  /// The worker may ask for work from now on: at the start, late, or again after it left or was lost.
  void join(WorkerId worker);
  /// The worker gets no more; what it holds it will still return.
  void leave(WorkerId worker);
  /// The worker is gone: what only it held goes back to the pool, and its later results are duplicates.
  /// Returns the number of iterations that went back.
  Index lost(WorkerId worker);

  /// The worker's next chunk, or nothing: none is left for it now, or it has not joined. A worker may hold
  /// several. With Reissue::on and an empty pool, a worker that holds nothing gets an unfinished chunk of
  /// another's: the least copied, of these the oldest, each at most OutstandingChunks::max_copies times.
  /// Throws Error (run_failed) when the scheduler's size is outside [1, remaining]; nothing is changed then.
  std::optional<Assignment> assign(WorkerId worker, double now_s);

  /// A result is here, computed in `compute_s` seconds by the worker's clock. Duplicate: another's was first,
  /// or the id is unknown, stale or not this worker's. The scheduler hears first results only.
  Commit complete(WorkerId worker, ChunkId id, double now_s, double compute_s);

  /// Whether the worker holds this assignment and nobody has returned its chunk yet.
  bool is_open(WorkerId worker, ChunkId id) const {
    return outstanding_chunks_.holds(worker, id) && !outstanding_chunks_.is_superseded(id.slot);
  }

  /// Every iteration is committed.
  bool finished() const { return committed_ == iterations_; }
  /// Iterations that wait to be given away and have no worker who could ask for them.
  bool stranded() const { return remaining() > 0 && present_ == 0; }

  // remaining + outstanding + committed = iterations, always.
  Index iterations() const { return iterations_; }
  Index remaining() const { return pool_.remaining(); }                         ///< not assigned
  Index outstanding() const { return iterations_ - remaining() - committed_; }  ///< assigned, not committed
  Index committed() const { return committed_; }

  /// Every slot given so far is below this. Grows with what is out at once, never with the loop.
  std::uint32_t slots() const { return outstanding_chunks_.slots(); }
  /// Workers that joined and neither left nor were lost.
  Index workers_present() const { return present_; }
  /// How many assignments the worker has not returned, those that others finished first among them.
  std::uint32_t held_count(WorkerId worker) const;
  /// These assignments, oldest first; for error texts and reports of lost workers.
  std::vector<Assignment> held(WorkerId worker) const;

 private:
  struct Worker {
    OutstandingChunks::OfWorker holds;
    bool is_present = false;
    double returned_s = -std::numeric_limits<double>::infinity();  // its latest return
  };

  Worker* find(WorkerId worker);
  const Worker* find(WorkerId worker) const;
  Assignment cut(Worker& record, WorkerId worker, double now_s);
  [[noreturn]] static void throw_bad_size(Index size, Index remaining);
  std::optional<Assignment> copy(Worker& record, WorkerId worker, double now_s);
  void commit(const Worker& record, WorkerId worker, std::uint32_t slot, double now_s, double compute_s);

  Index iterations_;
  Index committed_ = 0;
  Index present_ = 0;
  Reissue reissue_;
  std::unique_ptr<ChunkScheduler> scheduler_;
  IterationPool pool_;
  OutstandingChunks outstanding_chunks_;
  std::vector<Worker> workers_;
};

// What every chunk passes through stands here, so that a simulation of millions makes no calls for it.

inline std::optional<Assignment> Dispatcher::assign(WorkerId worker, double now_s) {
  Worker* record = find(worker);
  if (!record || !record->is_present) return std::nullopt;
  if (remaining() > 0) return cut(*record, worker, now_s);
  if (reissue_ == Reissue::on && record->holds.count == 0) return copy(*record, worker, now_s);
  return std::nullopt;
}

inline Assignment Dispatcher::cut(Worker& record, WorkerId worker, double now_s) {
  const Index size = scheduler_->next_size(worker, remaining());
  if (size < 1 || size > remaining()) throw_bad_size(size, remaining());
  const Chunk chunk = pool_.take(size);
  return {outstanding_chunks_.add(record.holds, worker, chunk, now_s), chunk, false};
}

inline Commit Dispatcher::complete(WorkerId worker, ChunkId id, double now_s, double compute_s) {
  if (!outstanding_chunks_.holds(worker, id)) return Commit::duplicate;
  Worker& record = workers_[to_number(worker)];
  const bool is_first = !outstanding_chunks_.is_superseded(id.slot);
  if (is_first) commit(record, worker, id.slot, now_s, compute_s);
  outstanding_chunks_.release(record.holds, id.slot);
  record.returned_s = now_s;
  return is_first ? Commit::first : Commit::duplicate;
}

inline void Dispatcher::commit(const Worker& record, WorkerId worker, std::uint32_t slot, double now_s,
                               double compute_s) {
  const Chunk chunk = outstanding_chunks_.chunk(slot);
  const double begun_s = std::max(outstanding_chunks_.assigned_s(slot), record.returned_s);
  outstanding_chunks_.finish(slot);
  committed_ += chunk.size;
  scheduler_->completed({worker, chunk, now_s - begun_s, compute_s});
}

inline Dispatcher::Worker* Dispatcher::find(WorkerId worker) {
  return to_number(worker) < workers_.size() ? &workers_[to_number(worker)] : nullptr;
}

inline const Dispatcher::Worker* Dispatcher::find(WorkerId worker) const {
  return to_number(worker) < workers_.size() ? &workers_[to_number(worker)] : nullptr;
}

}  // namespace loadshare
