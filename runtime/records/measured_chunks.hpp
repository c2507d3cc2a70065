#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "base/types.hpp"
#include "runtime/records/records.hpp"

namespace loadshare {

/// Sums over the chunks that a worker returned.
struct ChunkSums {
  Index chunks = 0;  ///< without dropped copies, whose times are included below
  double wall_s = 0;
  double cpu_s = 0;
  double waited_s = 0;
  double stolen_s = 0;  ///< wall time minus processor time and waiting

  void add(const ChunkRecord& chunk);
};

/// Bounds of a worker's clock offset to the master's. No chunk is received before it was assigned, and none
/// returns before it has ended. The chunk's stamps are by both clocks, not yet converted.
struct ClockBounds {
  double least_s = -std::numeric_limits<double>::infinity();
  double most_s = std::numeric_limits<double>::infinity();

  void add(const ChunkRecord& chunk);
  /// Returns the possible value nearest to an estimate. If the bounds contradict each other, because the
  /// clocks drifted, it returns the estimate.
  double corrected(double estimate_s) const;
};

/// The timed chunks of one worker, listed or not.
struct WorkerChunks {
  ChunkSums all;
  ChunkSums before_last_joining;
  ClockBounds clock;
  double last_return_s = 0;
  double unlisted_work = 0;  ///< work of chunks that are not listed
};

/// The timed chunks of a running loop: exact sums over all of them, and a bounded list of some. When the list
/// is full,
/// 1. one of each two successive chunks of a worker is removed, but never its first chunk;
/// 2. from then on one in 2 chunks is listed; after the next time one in 4, then one in 8, and so on.
///
/// The choice is random, so that it cannot coincide with a pattern of the loop.
class MeasuredChunks {
 public:
  /// Means over this many chunks have an error of a hundredth of the iterations' deviation; they take 3 MB of
  /// JSON.
  static constexpr std::size_t usual_most = 16'384;
  static constexpr std::size_t least_each = 16;  ///< average per worker
  /// Returns the work of a chunk in the application's unit. Called for chunks whose results are in their
  /// memory.
  using WorkOf = std::function<double(Chunk)>;

  explicit MeasuredChunks(WorkOf work = {}, std::size_t most = usual_most);

  /// Adds the worker's next chunk.
  void add(const ChunkRecord& chunk);
  /// Notes that the worker joined, perhaps again.
  void joined(WorkerId worker);

  const WorkerChunks& of(WorkerId worker) const;
  Index timed() const { return timed_; }
  /// Returns the listed chunks in order of return.
  const std::vector<ChunkRecord>& listed() const { return listed_; }
  std::vector<ChunkRecord> take_listed() { return std::move(listed_); }

 private:
  struct Worker {
    WorkerChunks chunks;
    std::size_t passed_over = 0;  // chunks until the next one that is listed
    std::size_t place = 0;        // position of the last listed chunk among `every_`
    bool is_known = false;
  };
  Worker& at(WorkerId worker);
  bool is_to_be_listed(Worker& worker);
  void leave_out(const ChunkRecord& chunk);
  void thin();

  WorkOf work_;
  std::size_t most_;
  std::vector<Worker> workers_;
  std::size_t known_ = 0;  // number of known workers
  std::vector<ChunkRecord> listed_;
  Index timed_ = 0;
  std::size_t every_ = 1;  // one in this many chunks of a worker is listed
  SplitMix64 random_{1};   // fixed seed: the same run omits the same chunks
};

}  // namespace loadshare
