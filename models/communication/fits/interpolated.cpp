#include "models/communication/fits/interpolated.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "models/communication/band.hpp"
#include "models/communication/fit.hpp"
#include "models/communication/fits/launches.hpp"
#include "models/granularity/spread.hpp"

namespace loadshare::communication {
namespace {

/// So many sizes on each side tell how times scatter.
constexpr std::size_t reach = 2;

/// What is known of one size.
struct Knot {
  double size = 0;
  double median_s = 0;
  LaunchRatios ratios;  ///< of its samples to the median
};

std::vector<Knot> knots_of(std::span<const Sample> samples) {
  std::map<double, std::vector<double>> seconds;
  for (const Sample& sample : level_launches(samples)) seconds[sample.size].push_back(sample.seconds);
  std::map<double, Knot> knots;
  for (auto& [size, all] : seconds) knots[size] = {size, granularity::median_of(std::move(all)), {}};
  for (const Sample& sample : samples) {
    Knot& knot = knots[sample.size];
    knot.ratios[sample.launch].push_back(sample.seconds / knot.median_s);
  }
  std::vector<Knot> sorted;
  for (auto& [size, knot] : knots) sorted.push_back(std::move(knot));
  return sorted;
}

Band band_around(const std::vector<Knot>& knots, std::size_t at) {
  LaunchRatios ratios;
  const std::size_t begin = at > reach ? at - reach : 0;
  for (std::size_t i = begin; i < std::min(at + reach + 1, knots.size()); ++i)
    for (const auto& [launch, of_launch] : knots[i].ratios)
      ratios[launch].insert(ratios[launch].end(), of_launch.begin(), of_launch.end());
  return band_of_launches(ratios);
}

double slope(const Knot& from, const Knot& to) {
  return (to.median_s - from.median_s) / (to.size - from.size);
}

/// Through a knot, from its size on.
Segment line_through(const Knot& knot, double c_s, const Band& band) {
  return {knot.size, knot.size, c_s, knot.median_s - c_s * knot.size, band.low, band.high};
}

double last_slope(const std::vector<Knot>& knots) {
  if (knots.size() == 1) return 0;
  return std::max(0.0, slope(knots[knots.size() - std::min<std::size_t>(3, knots.size())], knots.back()));
}

}  // namespace

Curve fit_interpolated(std::span<const Sample> samples) {
  require_positive(samples);
  const std::vector<Knot> knots = knots_of(samples);
  const double smallest = knots.front().size;
  std::vector<Segment> segments;
  if (smallest > 0) {
    segments.push_back(line_through(knots.front(), 0, band_around(knots, 0)));
    segments.back().first_size = 0;
  }
  for (std::size_t i = 0; i + 1 < knots.size(); ++i) {
    segments.push_back(line_through(knots[i], slope(knots[i], knots[i + 1]), band_around(knots, i)));
    segments.back().last_size = knots[i + 1].size;
  }
  segments.push_back(line_through(knots.back(), last_slope(knots), band_around(knots, knots.size() - 1)));
  return {std::move(segments), smallest};
}

}  // namespace loadshare::communication
