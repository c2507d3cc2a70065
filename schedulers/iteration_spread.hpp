#pragma once

#include "base/types.hpp"

namespace loadshare {

/// Mean and variance of an iteration's time, from the times of whole chunks.
///
/// A chunk of n independent iterations takes n mean +- sqrt(n) sigma, so n (its mean - mean)^2 is sigma^2 on
/// average, less one chunk's worth for the mean being estimated too. Kept as Welford keeps them
/// (Technometrics 4(3), 1962), with weights: no sum of squares, which would lose a small variance.
class IterationSpread {
 public:
  /// A chunk of so many iterations, at least one, took so long.
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
  /// Seconds; 0 where there is no chunk.
  double mean_s() const { return mean_s_; }
  /// Seconds squared; 0 where there are fewer than two chunks, of which nobody can tell.
  double variance() const { return chunks_ > 1 ? squares_ / static_cast<double>(chunks_ - 1) : 0; }

 private:
  Index chunks_ = 0;
  double iterations_ = 0;
  double seconds_ = 0;
  double mean_s_ = 0;
  double squares_ = 0;  // about the mean, each weighted by its chunk's iterations
};

}  // namespace loadshare
