#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "base/types.hpp"

namespace loadshare {

/// Data that a scheduler collects about a loop, for the next run of the same loop on the same workers.
struct Learned {
  std::vector<double> rates = {};  ///< iterations per second, by worker number; 0: unknown
  /// If the rates are means over several runs: the number of iterations behind each rate, where iterations of
  /// the n-th run count n times.
  std::vector<double> weighted_iterations = {};
  Index runs = 0;  ///< number of runs behind the rates
  /// Measured time of a chunk of n iterations besides computing: fixed_s + n each_s.
  struct Overhead {
    double fixed_s = 0, each_s = 0;
    double size = 0, response_s = 0;  ///< means of these chunks; 0: nothing was measured
  };
  Overhead overhead = {};
};

/// Times of a loop's iterations and chunks, in seconds.
struct LoopTimes {
  double mean_s = 0;       ///< mean time of an iteration
  double deviation_s = 0;  ///< the iterations' standard deviation
  double overhead_s = 0;   ///< time of a chunk besides computing
};

/// Facts about a loop that are known before it starts.
struct LoopFacts {
  Index iterations = 0;
  Index workers = 1;     ///< present or expected; more may join
  Learned learned = {};  ///< from the last run; empty: there was none, or it learned nothing
  std::optional<LoopTimes> times = std::nullopt;  ///< from the last run, if its chunks were timed
  /// Relative speeds by worker number, as WorkerFacts will report them. Empty: assume equal workers.
  std::vector<double> weights = {};
  std::vector<std::string> hosts = {};  ///< host of each worker; empty: unknown before they join
};

/// A worker's request for its next chunk.
struct Request {
  WorkerId worker{};
  Index first = 0;        ///< first iteration of a chunk cut at the front
  Index remaining = 0;    ///< iterations that are not given out; >= 1
  Index outstanding = 0;  ///< iterations that are given out and not yet returned
  Index workers = 0;      ///< present workers that may get work, including the one that asks
  double now_s = 0;       ///< on the dispatcher's clock
  double time_left_s = std::numeric_limits<double>::infinity();  ///< until the worker leaves
};

/// A scheduler's answer: how many iterations, in [1, remaining], and from where.
struct Cut {
  Index size = 0;
  /// First iteration of a chunk that is not cut at the front, for warm-up chunks. Ignored if this iteration
  /// has been given out before.
  std::optional<Index> from = std::nullopt;
};

/// Facts about a worker that are known when it joins.
struct WorkerFacts {
  std::uint32_t window = 1;  ///< chunks that it may hold, including the one that it computes; >= 1
  double weight = 1;         ///< its speed relative to the other workers, if known; > 0
  double time_left_s = std::numeric_limits<double>::infinity();  ///< seconds until it has to leave
  static constexpr std::uint32_t unknown_host = UINT32_MAX;
  std::uint32_t host = unknown_host;  ///< a small number, the same for all workers of a host
  std::optional<WorkerId> process =
      std::nullopt;  ///< worker whose loss implies the loss of this one; empty: lost alone
};

/// Decides how large the next chunk is, and nothing else: it uses no clock, no I/O and no random source of
/// its own. There is one small class per technique, made from a spec by a SchedulerTable. The dispatcher
/// calls it, on one thread.
class ChunkScheduler {
 public:
  virtual ~ChunkScheduler() = default;

  /// Returns the next chunk. The dispatcher may cut it shorter: returned iterations are given out by range.
  virtual Cut next(const Request& request) = 0;

  /// Reports the chunk that was cut after `next`.
  virtual void assigned(WorkerId, Chunk) {}
  /// Reports that these iterations came back without a result. They will be given out again.
  virtual void reclaimed(WorkerId, Chunk) {}
  /// Reports the times of a committed chunk. Adaptive techniques learn here.
  virtual void completed(const ChunkTimes&) {}
  virtual void joined(WorkerId, const WorkerFacts&) {}
  virtual void left(WorkerId) {}
  /// Returns what the scheduler has learned so far. LoopFacts contains it when the same loop runs again.
  virtual Learned learned() const { return {}; }
};

}  // namespace loadshare
