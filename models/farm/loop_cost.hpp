#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/types.hpp"

namespace loadshare::predictor {

/// How much longer an iteration takes in a chunk of so many than in a wide one: a chunk's beginning, with
/// cold caches, costs as much as some iterations.
struct WidthFactor {
  double narrow = 0;  ///< so many iterations; more than -1

  double at(Index size) const { return 1 + narrow / static_cast<double>(size); }
  /// Of the width at which iterations are cheapest.
  double least() const { return 1 + std::min(0.0, narrow); }
};

/// How the logarithm of a chunk's time scatters about its model: its variance is a part that all chunks have
/// and one that falls with their width, as that of a mean of so many does; but chunks as wide as
/// `known_width` have nothing of the second, for what they cost in the mean is known.
struct ChunkScatter {
  double chunk_variance = 0;
  double iteration_variance = 0;
  double known_width = std::numeric_limits<double>::infinity();

  bool is_any() const { return chunk_variance > 0 || iteration_variance > 0; }
  /// Standard deviation of a chunk of `size` >= 1 iterations.
  double deviation(Index size) const {
    const double own = std::max(0.0, 1 / static_cast<double>(size) - 1 / known_width);
    return std::sqrt(chunk_variance + iteration_variance * own);
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
  /// Standard deviation over mean of the iterations, as far as the profile tells.
  double variation() const;
  /// What is left of it when the iterations before that one are done.
  LoopCost from(Index iteration) const;
  /// The same of another number of iterations, which cost as much each.
  LoopCost stretched(Index iterations) const;
  /// Each iteration so many times as dear.
  LoopCost times(double factor) const;

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
