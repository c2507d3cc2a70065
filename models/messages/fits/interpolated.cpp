#include "models/messages/fits/interpolated.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "base/statistics.hpp"
#include "models/messages/fit.hpp"
#include "models/messages/fits/points.hpp"

namespace loadshare::communication {
namespace {

/// A size with too few samples (see enough_ratios) also uses those of sizes within this ratio.
constexpr double near = 2.2;
/// Share of the samples dropped at each end before the mean.
constexpr double trimmed_share = 0.1;

/// What is known of one size.
struct Knot {
  double size = 0;
  double seconds = 0;
  std::map<std::size_t, std::vector<double>> launches;  ///< samples, by launch

  std::size_t samples() const {
    std::size_t count = 0;
    for (const auto& [launch, seconds_of] : launches) count += seconds_of.size();
    return count;
  }
};

using Knots = std::vector<Knot>;

Knots knots_of(std::span<const Sample> samples) {
  std::map<double, Knot> knots;
  for (const Sample& sample : samples) knots[sample.size].launches[sample.launch].push_back(sample.seconds);
  std::map<double, std::vector<double>> level;
  for (const Sample& sample : level_launches(samples)) level[sample.size].push_back(sample.seconds);
  Knots sorted;
  for (auto& [size, knot] : knots)
    sorted.push_back({size, median_of(std::move(level[size])), std::move(knot.launches)});
  return sorted;
}

/// Whether times leap from one size to a larger one.
bool leap_between(const Knot& below, const Knot& above) {
  constexpr double leap = 4;  // beyond what the bytes may take
  const double ratio = above.seconds / below.seconds;
  return ratio > leap * (above.size + 1) / (below.size + 1) || ratio < 1 / leap;
}

/// Whether MPI changes its way between this size and the next one: of a single disturbed size those on its
/// other side know nothing.
bool leaps_behind(std::size_t i, std::span<const Knot> knots) {
  return leap_between(knots[i], knots[i + 1]) && (i == 0 || leap_between(knots[i - 1], knots[i + 1])) &&
         (i + 2 == knots.size() || leap_between(knots[i], knots[i + 2]));
}

/// Those of sizes nearby, as far as times do not leap on the way.
std::span<const Knot> near_to(const Knot& knot, std::span<const Knot> knots) {
  const auto at =
      static_cast<std::size_t>(std::ranges::lower_bound(knots, knot.size, {}, &Knot::size) - knots.begin());
  std::size_t first = at, last = at;
  while (first > 0 && knots[first - 1].size >= knot.size / near && !leaps_behind(first - 1, knots)) --first;
  while (last + 1 < knots.size() && knots[last + 1].size <= knot.size * near && !leaps_behind(last, knots))
    ++last;
  return knots.subspan(first, last - first + 1);
}

std::span<const Knot> speakers_for(const Knot& knot, std::span<const Knot> knots) {
  return knot.samples() >= enough_ratios ? std::span(&knot, 1) : near_to(knot, knots);
}

/// What a line through the logarithms of some knots says of a size: by the median of all slopes between two
/// of them, and of what they are off it (Theil and Sen), so that one of them may be anywhere.
double smoothed_s(const Knot& knot, std::span<const Knot> speakers) {
  if (knot.size == 0 || speakers.size() < 3) return knot.seconds;
  std::vector<double> slopes, offsets;
  for (const Knot& one : speakers)
    for (const Knot& other : speakers)
      if (one.size < other.size)
        slopes.push_back(std::log(other.seconds / one.seconds) / std::log(other.size / one.size));
  const double slope = median_of(std::move(slopes));
  for (const Knot& one : speakers)
    offsets.push_back(std::log(one.seconds) + slope * std::log(knot.size / one.size));
  return std::exp(median_of(std::move(offsets)));
}

/// By how much a mean is above a median.
double mean_over_median(std::span<const Knot> speakers) {
  std::vector<double> ratios;
  for (const Knot& one : speakers)
    for (const auto& [launch, seconds] : one.launches) {
      const double median_s = median_of(seconds);
      for (const double each : seconds) ratios.push_back(each / median_s);
    }
  return trimmed_mean(std::move(ratios));
}

Knots with_means(const Knots& medians) {
  Knots knots = medians;
  for (Knot& knot : knots) {
    const std::span<const Knot> speakers = speakers_for(knot, medians);
    knot.seconds = smoothed_s(knot, speakers) * mean_over_median(speakers);
  }
  return knots;
}

/// Nothing, where sizes are not repeated.
LaunchRatios ratios_of(std::span<const Knot> knots) {
  LaunchRatios ratios;
  std::size_t samples = 0;
  for (const Knot& knot : knots)
    for (const auto& [launch, seconds] : knot.launches) {
      samples += seconds.size();
      for (const double each : seconds) ratios[launch].push_back(each / knot.seconds);
    }
  return samples < knots.size() + 2 ? LaunchRatios{} : ratios;
}

/// A size's own samples say how they scatter where every launch has enough of them, else those nearby, or
/// all.
Band band_at(const Knot& knot, const Knots& knots, std::size_t launches) {
  const bool is_enough = knot.launches.size() == launches && knot.samples() >= launches * enough_ratios;
  LaunchRatios ratios = ratios_of(is_enough ? std::span(&knot, 1) : near_to(knot, knots));
  if (ratios.empty()) ratios = ratios_of(knots);
  if (ratios.empty()) return {0, std::numeric_limits<double>::infinity()};
  const Band band = band_of_launches(ratios);
  return {std::min(1.0, band.low), std::max(1.0, band.high)};
}

double slope(const Knot& from, const Knot& to) {
  return (to.seconds - from.seconds) / (to.size - from.size);
}

double last_slope(const Knots& knots) {
  if (knots.size() == 1) return 0;
  return std::max(0.0, slope(knots[knots.size() - std::min<std::size_t>(3, knots.size())], knots.back()));
}

Segment line_from(const Knot& knot, double c_s, const Band& band) {
  return {knot.size, knot.size, c_s, knot.seconds - c_s * knot.size, band.low, band.high};
}

std::size_t count_launches(const Knots& knots) {
  std::map<std::size_t, bool> launches;
  for (const Knot& knot : knots)
    for (const auto& [launch, seconds] : knot.launches) launches[launch] = true;
  return launches.size();
}

}  // namespace

double trimmed_mean(std::vector<double> values) {
  std::ranges::sort(values);
  const auto left_out = static_cast<std::ptrdiff_t>(trimmed_share * static_cast<double>(values.size()));
  const double sum = std::accumulate(values.begin() + left_out, values.end() - left_out, 0.0);
  return sum / static_cast<double>(std::ssize(values) - 2 * left_out);
}

Curve fit_interpolated(std::span<const Sample> samples) {
  require_positive(samples);
  const Knots knots = with_means(knots_of(samples));
  const std::size_t launches = count_launches(knots);
  std::vector<Segment> segments;
  if (knots.front().size > 0) {
    segments.push_back(line_from(knots.front(), 0, band_at(knots.front(), knots, launches)));
    segments.back().first_size = 0;
  }
  for (std::size_t i = 0; i < knots.size(); ++i) {
    const bool is_last = i + 1 == knots.size();
    const double c_s = is_last ? last_slope(knots) : slope(knots[i], knots[i + 1]);
    segments.push_back(line_from(knots[i], c_s, band_at(knots[i], knots, launches)));
    if (!is_last) segments.back().last_size = knots[i + 1].size;
  }
  return {std::move(segments), knots.front().size};
}

}  // namespace loadshare::communication
