#include "models/farm/cost_trend.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace loadshare::predictor {
namespace {

// What is believed before any chunk tells: mean and deviation.
constexpr double usual_narrow = 0.2, narrow_deviation = 0.5, rise_deviation = 0.5;
constexpr double most_narrow = 4;
// No part of a loop costs less than this, of what its first iterations cost or of its last.
constexpr double least_cost = 0.05;

}  // namespace

void TrendSums::add(double size, double middle, double spent_s) {
  const double each = 1 / size, each_s = spent_s / size;
  ++chunks, iterations += size, seconds += spent_s, weighted_p += size * middle;
  x += each, p += middle, y += each_s;
  xx += each * each, xp += each * middle, pp += middle * middle;
  xy += each * each_s, py += middle * each_s, yy += each_s * each_s;
}

CostTrend::CostTrend(std::span<const TrendSums> workers) : narrow_(usual_narrow) {
  double xx = 0, xp = 0, pp = 0, xy = 0, py = 0, yy = 0, freedom = 0;
  for (const TrendSums& one : workers) {
    if (one.chunks < 2 || !(one.seconds > 0)) continue;
    const double k = one.chunks, scale = one.iterations / one.seconds;
    xx += one.xx - one.x * one.x / k;
    xp += one.xp - one.x * one.p / k;
    pp += one.pp - one.p * one.p / k;
    xy += scale * (one.xy - one.x * one.y / k);
    py += scale * (one.py - one.p * one.y / k);
    yy += scale * scale * (one.yy - one.y * one.y / k);
    freedom += k - 1;
  }
  if (freedom < 1) return;
  constexpr double least_variance = 1e-4;
  const double variance = std::max(yy / freedom, least_variance);
  // Deviations from what is usual.
  const double x_prior = variance / (narrow_deviation * narrow_deviation);
  const double p_prior = variance / (rise_deviation * rise_deviation);
  const double a = xx + x_prior, d = pp + p_prior;
  const double e = xy - xx * usual_narrow, f = py - xp * usual_narrow;
  const double determinant = a * d - xp * xp;
  narrow_ = std::clamp(usual_narrow + (e * d - f * xp) / determinant, 0.0, most_narrow);
  rise_ = (a * f - xp * e) / determinant;
}

double CostTrend::base_s(const TrendSums& worker) const {
  const double units = worker.iterations + narrow_ * worker.chunks + rise_ * worker.weighted_p;
  return worker.seconds / std::max(units, least_cost * worker.iterations);
}

LoopCost CostTrend::rest(Index iterations, Index all) const {
  constexpr Index most_bins = 16;
  std::vector<LoopCost::Bin> bins;
  const Index part = std::max<Index>(1, (iterations + most_bins - 1) / most_bins);
  for (Index first = 0; first < iterations; first += part) {
    const Index size = std::min(part, iterations - first);
    const double middle = (static_cast<double>(all - iterations + first) + 0.5 * static_cast<double>(size)) /
                          static_cast<double>(std::max<Index>(all, 1));
    bins.push_back({size, static_cast<double>(size) * std::max(1 + rise_ * middle, least_cost)});
  }
  return LoopCost::profile(std::move(bins));
}

WidthFactor CostTrend::width() const {
  std::vector<WidthFactor::Point> points;
  for (const Index size : {1, 2, 3, 5, 8, 16, 32, 128, 1024})
    points.push_back({size, 1 + narrow_ / static_cast<double>(size)});
  return WidthFactor(std::move(points));
}

}  // namespace loadshare::predictor
