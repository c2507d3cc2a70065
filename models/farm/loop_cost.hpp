#pragma once

#include <cmath>
#include <vector>

#include "base/types.hpp"

namespace loadshare::predictor {

/// How much longer an iteration takes in a chunk of so many than in a wide one: short chunks use caches worse
/// and have a beginning of their own. Between the widths that were measured it is interpolated over their
/// logarithms; beyond them the outermost counts.
class WidthFactor {
 public:
  struct Point {
    Index size = 1;
    double factor = 1;
  };
  /// 1 throughout.
  WidthFactor() = default;
  /// Points by size, ascending. Throws UsageError on a factor that is not more than 0.
  explicit WidthFactor(std::vector<Point> points);

  double at(Index size) const { return points_.empty() ? 1 : between(size); }
  /// Of the width at which iterations are cheapest.
  double least() const;

 private:
  double between(Index size) const;
  std::vector<Point> points_;
};

/// How the logarithm of a chunk's time scatters about its model: its variance is a part that all chunks have
/// and one that falls with their width, as that of a mean of so many does.
struct ChunkScatter {
  double chunk_variance = 0;
  double iteration_variance = 0;

  bool is_any() const { return chunk_variance > 0 || iteration_variance > 0; }
  /// Standard deviation of a chunk of `size` >= 1 iterations.
  double deviation(Index size) const {
    return std::sqrt(chunk_variance + iteration_variance / static_cast<double>(size));
  }
};

/// What the iterations of a loop cost, in seconds of a processor of speed 1 that computes them in wide
/// chunks: all alike, or as a profile says, which has as many bins as it was measured in. Memory follows the
/// bins, never the loop.
class LoopCost {
 public:
  /// Throws UsageError on fewer than 0 iterations, and on a cost that is negative or no number.
  static LoopCost uniform(Index iterations, double seconds_each);
  /// Bins one behind the other, all of the loop: how many iterations each has, and what these cost together.
  struct Bin {
    Index iterations = 0;
    double seconds = 0;
  };
  static LoopCost profile(std::vector<Bin> bins);

  Index iterations() const { return iterations_; }
  double seconds(Chunk chunk) const {
    return ends_.empty() ? seconds_each_ * static_cast<double>(chunk.size)
                         : before(chunk.end()) - before(chunk.first);
  }
  double total_s() const { return seconds({0, iterations_}); }

 private:
  /// The place up to which bins reach, and what all before it costs.
  struct End {
    Index at = 0;
    double seconds = 0;
  };
  double before(Index iteration) const;

  Index iterations_ = 0;
  double seconds_each_ = 0;
  std::vector<End> ends_;  // empty: uniform; else the first is at 0
};

}  // namespace loadshare::predictor
