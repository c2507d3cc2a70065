#include "models/farm/cost_trend.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace loadshare::predictor {
namespace {

// What is believed before any chunk tells: mean and deviation.
constexpr double usual_narrow = 0.2, narrow_deviation = 0.5, rise_deviation = 0.5;
constexpr double most_narrow = 4, most_rise = 20;
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

namespace {

/// Of all workers, about their own means and in units of their speeds.
struct Moments {
  double xx = 0, xp = 0, pp = 0, xy = 0, py = 0, yy = 0, freedom = 0;

  void add(const TrendSums& one, double base_s) {
    const double k = one.chunks;
    xx += one.xx - one.x * one.x / k;
    xp += one.xp - one.x * one.p / k;
    pp += one.pp - one.p * one.p / k;
    xy += (one.xy - one.x * one.y / k) / base_s;
    py += (one.py - one.p * one.y / k) / base_s;
    yy += (one.yy - one.y * one.y / k) / (base_s * base_s);
    freedom += k - 1;
  }
};

struct Slopes {
  double narrow = usual_narrow, rise = 0;
};

/// Where a single chunk scatters with that variance; with 0 they are those of least squares, nearly.
Slopes slopes_of(const Moments& of, double variance) {
  constexpr double least = 1e-6;  // so that chunks of one size, or at one place, tell nothing of it
  const double a = of.xx + variance / (narrow_deviation * narrow_deviation) + least;
  const double d = of.pp + variance / (rise_deviation * rise_deviation) + least;
  const double e = of.xy - of.xx * usual_narrow, f = of.py - of.xp * usual_narrow;
  const double determinant = a * d - of.xp * of.xp;
  return {usual_narrow + (e * d - f * of.xp) / determinant, (a * f - of.xp * e) / determinant};
}

/// As if two more chunks had scattered as they mostly do, for few chunks fit any line.
double variance_about(const Slopes& slopes, const Moments& of) {
  constexpr double more = 2, usual_variance = 0.01;
  const double left = std::max(0.0, of.yy - slopes.narrow * of.xy - slopes.rise * of.py);
  return (left + more * usual_variance) / of.freedom;
}

}  // namespace

// Speeds and slopes hang on each other: so again and again.
CostTrend::CostTrend(std::span<const TrendSums> workers) {
  constexpr int passes = 5;
  for (int pass = 0; pass < passes; ++pass) {
    Moments moments;
    for (const TrendSums& one : workers)
      if (one.chunks > 1 && one.seconds > 0) moments.add(one, base_s(one));
    const Slopes slopes =
        moments.freedom > 0 ? slopes_of(moments, variance_about(slopes_of(moments, 0), moments)) : Slopes{};
    narrow_ = std::clamp(slopes.narrow, 0.0, most_narrow);
    rise_ = std::clamp(slopes.rise, -most_rise, most_rise);
  }
}

double CostTrend::base_s(const TrendSums& worker) const {
  const double units = worker.iterations + narrow_ * worker.chunks + rise_ * worker.weighted_p;
  return worker.seconds / std::max(units, least_cost * worker.iterations);
}

double CostTrend::units(double size, double middle) const {
  return std::max(size + narrow_ + rise_ * size * middle, least_cost * size);
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
  return {narrow_};
}

}  // namespace loadshare::predictor
