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

/// Sums over chunks that a worker returned.
struct ChunkSums {
  Index chunks = 0;  ///< dropped copies are not among these, but in the times
  double wall_s = 0;
  double cpu_s = 0;
  double waited_s = 0;
  double stolen_s = 0;  ///< wall time beyond the processor time and the waiting

  void add(const ChunkRecord& chunk);
};

/// How far a worker's clock can be ahead of the master's: no chunk is received before it was assigned, and
/// none returns before it has ended. Of stamps of which the worker's are on its own clock, and the master's
/// on the master's.
struct ClockBounds {
  double least_s = -std::numeric_limits<double>::infinity();
  double most_s = std::numeric_limits<double>::infinity();

  void add(const ChunkRecord& chunk);
  /// The nearest to an estimate that is possible. If the chunks contradict each other (the clocks drifted),
  /// the estimate stays.
  double corrected(double estimate_s) const;
};

/// The timed chunks of one worker, whether they are listed or not.
struct WorkerChunks {
  ChunkSums all;
  ChunkSums before_last_joining;
  ClockBounds clock;
  double last_return_s = 0;
  double unlisted_work = 0;  ///< of chunks that are not listed
};

/// The timed chunks of a run that goes on: their sums are exact, and a list of the chunks themselves that is
/// bounded. A list that is full loses one chunk of each two successive ones of a worker, and of the chunks
/// that come then one in 2 is listed; later one in 4, in 8, and so on. Which one is drawn at random, so that
/// no pattern of the loop is missed. Each worker's first chunk stays.
class MeasuredChunks {
 public:
  /// Enough for means to within a hundredth of what iterations differ by; 3 MB of JSON.
  static constexpr std::size_t usual_most = 16'384;
  static constexpr std::size_t least_each = 16;  ///< on average, of each worker
  /// In the application's unit. Called for chunks whose results are at their place.
  using WorkOf = std::function<double(Chunk)>;

  explicit MeasuredChunks(WorkOf work = {}, std::size_t most = usual_most);

  /// The worker's next.
  void add(const ChunkRecord& chunk);
  /// The worker joined, perhaps again.
  void joined(WorkerId worker);

  const WorkerChunks& of(WorkerId worker) const;
  Index timed() const { return timed_; }
  /// In order of return.
  const std::vector<ChunkRecord>& listed() const { return listed_; }
  std::vector<ChunkRecord> take_listed() { return std::move(listed_); }

 private:
  struct Worker {
    WorkerChunks chunks;
    std::size_t passed_over = 0;  // until the next that is listed
    std::size_t place = 0;        // of the last that was listed, among `every_`
    bool is_known = false;
  };
  Worker& at(WorkerId worker);
  bool is_to_be_listed(Worker& worker);
  void leave_out(const ChunkRecord& chunk);
  void thin();

  WorkOf work_;
  std::size_t most_;
  std::vector<Worker> workers_;
  std::size_t known_ = 0;  // of these
  std::vector<ChunkRecord> listed_;
  Index timed_ = 0;
  std::size_t every_ = 1;  // of so many chunks of a worker one is listed
  SplitMix64 random_{1};   // the same run leaves the same chunks out
};

}  // namespace loadshare
