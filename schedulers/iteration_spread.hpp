#pragma once

#include "base/types.hpp"

namespace loadshare {

/// Mean and variance of an iteration's time, estimated from the times of chunks.
///
/// A chunk of n independent iterations takes n mean +- sqrt(n) sigma, so the mean of n (its mean - mean)^2 is
/// sigma^2, apart from one degree of freedom for the estimated mean. Computed by Welford's method
/// (Technometrics 4(3), 1962) with weights, because a plain sum of squares would lose a small variance.
class IterationSpread {
 public:
  /// Adds a chunk of `iterations` >= 1 that took `seconds`.
  void add(Index iterations, double seconds) {
    const auto count = static_cast<double>(iterations);
    iterations_ += count;
    seconds_ += seconds;
    ++chunks_;
    const double each_s = seconds / count, from_mean_s = each_s - mean_s_;
    mean_s_ = seconds_ / iterations_;
    squares_ += count * from_mean_s * (each_s - mean_s_);
  }

  Index chunks() const { return chunks_; }
  /// Returns seconds; 0 if there is no chunk.
  double mean_s() const { return mean_s_; }
  /// Returns seconds squared; 0 for fewer than two chunks, which do not determine a variance.
  double variance() const { return chunks_ > 1 ? squares_ / static_cast<double>(chunks_ - 1) : 0; }

 private:
  Index chunks_ = 0;
  double iterations_ = 0;
  double seconds_ = 0;
  double mean_s_ = 0;
  double squares_ = 0;  // deviations from the mean, each weighted by its chunk's iterations
};

}  // namespace loadshare
