#pragma once

#include <span>

#include "models/communication/fits/points.hpp"

namespace loadshare::communication {

/// A line that neither falls nor is negative from `origin` on: t(n) = start + slope (n - origin).
struct Line {
  double origin = 0;
  double start_s = 0;
  double slope_s = 0;

  double at(double size) const { return start_s + slope_s * (size - origin); }
};

struct RobustLine {
  Line line;
  /// What is left of the points' deviations, in squares of their noise.
  double loss = 0;
};

/// The line through points, none smaller than `origin`, by log(point / line), which a few outliers hardly
/// move: the loss of a deviation of x times the noise is b^2 log(1 + (x / b)^2), b = 2.385 (Cauchy's, with 95
/// % efficiency where all is normal), found by reweighted least squares.
RobustLine robust_line(std::span<const Point> points, double origin);

}  // namespace loadshare::communication
