#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "base/types.hpp"
#include "runtime/farm/rank_report.hpp"
#include "runtime/farm/workload.hpp"
#include "runtime/host/child_time.hpp"
#include "runtime/host/clock.hpp"
#include "runtime/transport/transport.hpp"

namespace loadshare {

/// Decides which chunks a worker times. Two clock readings and one of processor time cost more than half a
/// microsecond: nothing beside a chunk of 10 us and more, which is always timed, and too much beside an empty
/// one. Of shorter chunks one is timed every 20 us or so, and at the latest every 64th. One that turns out
/// long all the same is timed afterwards, from the processor's own counter.
class Sampler {
 public:
  static constexpr double short_chunk_s = 10e-6;

  /// Whether to time the chunk of `size` iterations that begins now.
  bool wants(Index size) {
    if (--left_ <= 0 || size > timed_size_) return true;
    has_thinned_ = true;
    return false;
  }
  /// Whether the processor time is worth reading too.
  bool wants_cpu() const { return !is_thinning_; }
  double last_wall_s() const { return last_wall_s_; }
  /// Whether it has passed over a chunk.
  bool has_thinned() const { return has_thinned_; }

  /// Learns from the chunk just timed.
  void timed(Index size, double wall_s) {
    timed_size_ = size;
    last_wall_s_ = wall_s;
    // One long sample among short ones is an interruption: two of either kind in a row decide.
    const bool is_short = wall_s < short_chunk_s;
    is_thinning_ = is_short && was_short_;
    was_short_ = is_short;
    left_ = is_thinning_ ? std::clamp(static_cast<int>(sample_every_s / (wall_s + 1e-9)), 1, 64) : 1;
  }

 private:
  static constexpr double sample_every_s = 20e-6;

  int left_ = 0;
  Index timed_size_ = 0;
  double last_wall_s_ = 0;
  bool is_thinning_ = false;
  bool was_short_ = false;
  bool has_thinned_ = false;
};

/// One worker's part of a run: asks for chunks, computes them, accounts for its time.
class WorkerLoop {
 public:
  /// `prefetch`: chunks that may wait here beyond the one being computed. `children`: the child processes of
  /// this process, shared by its workers.
  WorkerLoop(WorkerEnd& end, Workload& workload, Index prefetch, ChildTime& children)
      : end_(end),
        workload_(workload),
        children_(children),
        half_(static_cast<std::size_t>(prefetch / 2 + 1)),
        most_together_(end.is_fed_meanwhile() ? static_cast<std::size_t>(prefetch + 1) : half_),
        at_once_(half_ > 1 ? workload.iterations_at_once() : 0) {}

  /// Serves until the run is over. Exceptions of the workload are reported to the master.
  Account run();
  bool has_thinned() const { return sampler_.has_thinned(); }

 private:
  std::optional<Task> next();
  bool take_others(const Task& first);
  bool is_worth_waiting();
  void serve_together();
  void compute_together(double& waited_s);
  void report_together(const Stamps& all);
  void serve(const Task& task);
  void serve_timed(const Task& task);
  void serve_untimed(const Task& task);
  void finish_timed(const Task& task, Stamps stamps, double waited_s);
  void compute(const Task& task, double& waited_s);
  double with_children_s(double own_s, double wall_s, double waited_s);
  void account_wait(const Task& task, double received_s);
  void account_chunk(const Stamps& stamps, double waited_s);

  WorkerEnd& end_;
  Workload& workload_;
  ChildTime& children_;
  std::size_t half_;
  /// All that may be here, where others come at once when these are done; where they are long on their way,
  /// half of that, rounded up: the master sends as many again while the others are computed.
  std::size_t most_together_;
  double others_come_by_s_ = 0;  ///< after all were computed together: it is worth waiting until then
  Index at_once_;                ///< iterations that it is best to compute together; 0: each chunk alone
  std::vector<Task> together_;
  Sampler sampler_;
  TickScale ticks_;
  Account account_;
  double children_s_ = 0;           ///< processor time of child processes, part of the computing
  bool was_queued_ = false;         ///< the present chunk was here before it was asked for
  double last_end_s_ = 0;           ///< end of the last timed chunk
  Index untimed_chunks_ = 0;        ///< since then
  std::optional<Index> failed_at_;  ///< the iteration on which the present chunk failed, if it said
};

}  // namespace loadshare
