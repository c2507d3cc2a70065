#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "models/messages/curve.hpp"
#include "models/messages/fits/points.hpp"

namespace loadshare::communication {

/// What it costs to have places [begin, end) as one part.
using PartCost = std::function<double(std::size_t begin, std::size_t end)>;

/// Cuts `count` places into parts, none shorter than `least` (one part where there are fewer than twice as
/// many), such that the sum of their costs and of `penalty` for each is least: where each part begins, in
/// order. Exact, by dynamic programming over the last part (Jackson et al., An algorithm for optimal
/// partitioning of data on an interval, 2005); asks for about count^2 / 2 costs.
std::vector<std::size_t> best_partition(std::size_t count, std::size_t least, double penalty,
                                        const PartCost& cost);

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

/// Lines between the jumps and kinks that the samples show: where MPI changes its protocol, where caches and
/// socket buffers end. For all that is to be predicted.
///
/// The medians of each size are cut into segments of three sizes or more (five where sizes are hardly
/// repeated), so that the loss of a robust line in each (see robust_line) and 3 log(sizes) a segment are
/// least together: that is Schwarz's criterion for the slope, the start and the place of the cut, with the
/// noise taken from neighbouring sizes. Deviations count by their share of the time, so 64 bytes weigh as
/// much as 4 MB. No line falls, nor is any negative where it is used: below the measured sizes the first
/// gives way to one through the origin of half its slope, if it must. Segments meet where their lines cross,
/// if that is between their sizes; else there is a jump in the middle between them.
Curve fit_segmented(std::span<const Sample> samples);

}  // namespace loadshare::communication
