#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "base/types.hpp"

namespace loadshare {

/// What a scheduler found out about a loop, for when the same workers run the same loop again.
struct Learned {
  std::vector<double> rates = {};  ///< iterations per second, by worker number; 0: not known
  /// Where the rates are means over several runs of the loop: the iterations that each is of, those of the
  /// n-th run n times.
  std::vector<double> weighted_iterations = {};
  Index runs = 0;  ///< that they are of
  /// What chunks of n iterations took beside computing, where that was timed: overhead_s + n each_s.
  struct Beside {
    double overhead_s = 0, each_s = 0;
    double size = 0, response_s = 0;  ///< means of these chunks; 0: nothing was timed
  };
  Beside beside = {};
};

/// What the iterations and chunks of a loop took, in seconds.
struct LoopTimes {
  double mean_s = 0;       ///< of an iteration
  double deviation_s = 0;  ///< the iterations' standard deviation
  double overhead_s = 0;   ///< of a chunk, beside computing
};

/// The loop as it is known before it starts.
struct LoopFacts {
  Index iterations = 0;
  Index workers = 1;     ///< that are there or expected; more may join
  Learned learned = {};  ///< when it last ran; empty: it has not, or nothing was learned
  std::optional<LoopTimes> times = std::nullopt;  ///< when it last ran, where its chunks were timed
  /// By worker number, as they will be in WorkerFacts; none: nobody knows more than that they are alike.
  std::vector<double> weights = {};
  std::vector<std::string> hosts = {};  ///< likewise, where each computes; none: not known before they join
};

/// A worker asks for its next chunk.
struct Request {
  WorkerId worker{};
  Index first = 0;        ///< where a chunk cut at the front would begin
  Index remaining = 0;    ///< iterations that nobody has; >= 1
  Index outstanding = 0;  ///< iterations that workers have and have not returned
  Index workers = 0;      ///< that are there and may be given work, the asking one among them
  double now_s = 0;       ///< on the dispatcher's clock
  double time_left_s = std::numeric_limits<double>::infinity();  ///< until the worker leaves
};

/// What a scheduler answers: how many iterations, in [1, remaining], and from where.
struct Cut {
  Index size = 0;
  /// Elsewhere than at the front, for warm-up chunks. It is cut at the front all the same where this
  /// iteration has been given before, and in a loop that is a part of another's.
  std::optional<Index> from = std::nullopt;
};

/// What is known of a worker when it joins.
struct WorkerFacts {
  std::uint32_t window = 1;  ///< chunks that it may hold at a time, the one that it computes among them; >= 1
  double weight = 1;         ///< its speed beside the others', as far as it is known; > 0
  double time_left_s = std::numeric_limits<double>::infinity();  ///< until it has to leave
  static constexpr std::uint32_t unknown_host = UINT32_MAX;
  std::uint32_t host = unknown_host;  ///< a small number; workers of one host have one
  std::optional<WorkerId> process =
      std::nullopt;  ///< one of those that are lost together with it; else none is
};

/// Decides how large the next chunk is, and nothing else: no clock, no I/O, no random source of its own.
/// One small class a technique; made from its spec through a SchedulerTable. The dispatcher calls it, on one
/// thread.
class ChunkScheduler {
 public:
  virtual ~ChunkScheduler() = default;

  /// The next chunk. It may come out smaller: where iterations came back, they are given range by range.
  virtual Cut next(const Request& request) = 0;

  /// What was cut: `next` is told here what became of its answer.
  virtual void assigned(WorkerId, Chunk) {}
  /// These iterations came back without a result and will be given again.
  virtual void reclaimed(WorkerId, Chunk) {}
  /// Hears the times of every chunk that was committed; adaptive techniques learn here.
  virtual void completed(const ChunkTimes&) {}
  virtual void joined(WorkerId, const WorkerFacts&) {}
  virtual void left(WorkerId) {}
  /// What it has found out so far; comes back in LoopFacts when the same loop runs again.
  virtual Learned learned() const { return {}; }
};

}  // namespace loadshare
