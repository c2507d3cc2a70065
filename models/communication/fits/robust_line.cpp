#include "models/communication/fits/robust_line.hpp"

#include <algorithm>
#include <cmath>

namespace loadshare::communication {
namespace {

constexpr double bend = 2.385;
constexpr int most_rounds = 12;
/// A line that changes by less at both ends has arrived.
constexpr double small_change = 1e-4;

/// Sums of weights w, with x from the origin on and y seconds.
struct Sums {
  double w = 0, wx = 0, wxx = 0, wy = 0, wxy = 0;

  void add(double weight, double x, double y) {
    w += weight;
    wx += weight * x;
    wxx += weight * x * x;
    wy += weight * y;
    wxy += weight * x * y;
  }
};

/// The least squares among the lines that neither fall nor begin below 0. The problem is convex, so where the
/// free minimum is not allowed the best lies on an edge.
Line allowed_line(const Sums& sums, double origin) {
  const double determinant = sums.w * sums.wxx - sums.wx * sums.wx;
  const double slope = (sums.w * sums.wxy - sums.wx * sums.wy) / determinant;
  const double start = (sums.wy - slope * sums.wx) / sums.w;
  if (!(determinant > 0) || slope < 0) return {origin, sums.wy / sums.w, 0};
  if (start < 0) return {origin, 0, sums.wxy / sums.wxx};
  return {origin, start, slope};
}

/// The middle one of a point and its neighbours: a first line through them is not led astray by one.
double smoothed_s(std::span<const Point> points, std::size_t at) {
  const double own = points[at].seconds;
  if (at == 0 || at + 1 == points.size()) return own;
  const auto [low, high] = std::minmax(points[at - 1].seconds, points[at + 1].seconds);
  return std::clamp(own, low, high);
}

Line first_line(std::span<const Point> points, double origin) {
  Sums sums;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double seconds = smoothed_s(points, i);
    sums.add(1 / (seconds * seconds), points[i].size - origin, seconds);
  }
  return allowed_line(sums, origin);
}

/// What deviations are relative to; a line that is 0 somewhere is no measure there.
double base_s(const Line& line, const Point& point) {
  return std::max(line.at(point.size), point.seconds / 100);
}

/// Squared, in units of the noise and of the bend. Of the ratio's logarithm, so that ten times too much
/// counts as a tenth does: else a line through a few high outliers would seem better than one below them.
double squared_deviation(const Line& line, const Point& point) {
  const double deviation = std::log(point.seconds / base_s(line, point)) / point.noise / bend;
  return deviation * deviation;
}

Line reweighted(std::span<const Point> points, const Line& line) {
  Sums sums;
  for (const Point& point : points) {
    const double unit_s = base_s(line, point) * point.noise;
    const double weight = 1 / (unit_s * unit_s) / (1 + squared_deviation(line, point));
    sums.add(weight, point.size - line.origin, point.seconds);
  }
  return allowed_line(sums, line.origin);
}

bool is_near(const Line& a, const Line& b, double size) {
  return std::abs(a.at(size) - b.at(size)) <= small_change * std::max(a.at(size), b.at(size));
}

}  // namespace

RobustLine robust_line(std::span<const Point> points, double origin) {
  RobustLine result{first_line(points, origin), 0};
  for (int round = 0; round < most_rounds; ++round) {
    const Line last = result.line;
    result.line = reweighted(points, last);
    if (is_near(last, result.line, points.front().size) && is_near(last, result.line, points.back().size))
      break;
  }
  for (const Point& point : points)
    result.loss += bend * bend * std::log1p(squared_deviation(result.line, point));
  return result;
}

}  // namespace loadshare::communication
