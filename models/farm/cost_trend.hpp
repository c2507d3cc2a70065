#pragma once

#include <span>

#include "models/farm/loop_cost.hpp"

namespace loadshare::predictor {

/// What the chunks of one worker tell of the cost of iterations, whatever its speed: sums over them of what a
/// line is fitted by.
struct TrendSums {
  double chunks = 0, iterations = 0, seconds = 0;
  // x = 1 / size, p = the chunk's middle as a part of the loop, y = seconds an iteration.
  double x = 0, p = 0, y = 0, xx = 0, xp = 0, pp = 0, xy = 0, py = 0, yy = 0;
  double weighted_p = 0;  // by iterations

  void add(double size, double middle, double spent_s);
};

/// What a run that goes on tells of its loop: how much dearer iterations are in narrow chunks, and how they
/// become dearer or cheaper from the loop's beginning to its end.
///
/// An iteration of a chunk of n at the place p takes r_i (1 + a / n + b p) at worker i. Least squares over
/// all workers about each one's own means (fixed effects), so that speeds do not matter; a and b are held
/// near to what loops mostly have, the more so the more the chunks scatter (ridge regression: Hoerl and
/// Kennard, Technometrics 12(1), 1970).
class CostTrend {
 public:
  /// Neither.
  CostTrend() = default;
  explicit CostTrend(std::span<const TrendSums> workers);

  /// r_i of a worker that computed at least one chunk.
  double base_s(const TrendSums& worker) const;
  /// Returns the cost of a chunk of `size` iterations around that place, in units of r_i.
  double units(double size, double middle) const;
  /// Of the last `iterations` of so many, in units of r_i.
  LoopCost rest(Index iterations, Index all) const;
  WidthFactor width() const;

 private:
  double narrow_ = 0;  // a
  double rise_ = 0;    // b
};

}  // namespace loadshare::predictor
