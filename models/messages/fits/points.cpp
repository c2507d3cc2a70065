#include "models/messages/fits/points.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "base/statistics.hpp"

namespace loadshare::communication {
namespace {

/// How far a launch is off the others is the median over so many sizes on each side: a jump between two sizes
/// of another launch disturbs two of them, and stays where it is.
constexpr std::size_t launch_reach = 7;

/// The median seconds of one launch by size.
using LaunchTimes = std::map<double, double>;

std::map<std::size_t, LaunchTimes> medians_of(std::span<const Sample> samples) {
  std::map<std::size_t, std::map<double, std::vector<double>>> all;
  for (const Sample& sample : samples) all[sample.launch][sample.size].push_back(sample.seconds);
  std::map<std::size_t, LaunchTimes> medians;
  for (auto& [launch, sizes] : all)
    for (auto& [size, seconds] : sizes) medians[launch][size] = median_of(std::move(seconds));
  return medians;
}

/// Between the sizes that a launch has; nothing outside them.
std::optional<double> seconds_at(const LaunchTimes& times, double size) {
  const auto above = times.lower_bound(size);
  if (above == times.end()) return std::nullopt;
  if (above->first == size) return above->second;
  if (above == times.begin()) return std::nullopt;
  const auto below = std::prev(above);
  return std::lerp(below->second, above->second, (size - below->first) / (above->first - below->first));
}

/// The logarithm of the factor from one launch's time to the middle of all that have the size.
double way_to_middle(const std::map<std::size_t, LaunchTimes>& launches, double size, double own_s) {
  std::vector<double> ways;
  for (const auto& [launch, times] : launches)
    if (const auto seconds = seconds_at(times, size)) ways.push_back(std::log(*seconds / own_s));
  return median_of(std::move(ways));
}

double median_around(const std::vector<double>& values, std::size_t at) {
  const std::size_t begin = at > launch_reach ? at - launch_reach : 0;
  const std::size_t end = std::min(at + launch_reach + 1, values.size());
  return median_of(std::vector<double>{values.begin() + static_cast<std::ptrdiff_t>(begin),
                                       values.begin() + static_cast<std::ptrdiff_t>(end)});
}

/// Finer differences another launch would not reproduce, and lines need not follow them.
constexpr double least_noise = 0.005;
/// What is assumed where there are too few sizes to tell; they are not split then.
constexpr double assumed_noise = 0.05;
constexpr std::size_t fewest_points_to_tell = 6;
/// Small messages scatter more than large ones, so noise is taken from so many points on each side. A jump
/// disturbs two deviations, which is less than half of the window's.
constexpr std::size_t noise_reach = 7;
/// Nor is it more than so many times that of all: a few outliers close together disturb most of a window.
constexpr double most_above_all = 3;
/// From the median of absolute deviations to the standard deviation of a normal distribution.
constexpr double deviations_a_median = 1.4826;

Point point_of(std::span<const Sample> samples) {
  std::vector<double> sizes, seconds;
  for (const Sample& sample : samples) {
    sizes.push_back(sample.size);
    seconds.push_back(sample.seconds);
  }
  return {median_of(std::move(sizes)), median_of(std::move(seconds)), 0};
}

std::size_t count_sizes(const std::vector<Sample>& sorted) {
  std::size_t count = 1;
  for (std::size_t i = 1; i < sorted.size(); ++i)
    if (sorted[i].size != sorted[i - 1].size) ++count;
  return count;
}

/// Of `sorted` samples, `sizes_each` sizes a point.
std::vector<Point> group(const std::vector<Sample>& sorted, std::size_t sizes_each) {
  std::vector<Point> points;
  for (std::size_t begin = 0; begin < sorted.size();) {
    std::size_t end = begin;
    for (std::size_t taken = 0; taken < sizes_each && end < sorted.size(); ++taken)
      end = static_cast<std::size_t>(std::ranges::upper_bound(sorted, sorted[end].size, {}, &Sample::size) -
                                     sorted.begin());
    points.push_back(point_of(std::span(sorted).subspan(begin, end - begin)));
    begin = end;
  }
  return points;
}

/// How far the middle one is off the line through the other two, by the deviation of one point alone.
double deviation(const Point& left, const Point& middle, const Point& right) {
  const double share = (middle.size - left.size) / (right.size - left.size);
  const double between_s = std::lerp(left.seconds, right.seconds, share);
  const double of_three = std::sqrt(1 + share * share + (1 - share) * (1 - share));
  return std::abs(std::log(middle.seconds / between_s)) / of_three;
}

std::vector<double> deviations_of(std::span<const Point> points) {
  std::vector<double> deviations;
  for (std::size_t i = 1; i + 1 < points.size(); ++i)
    deviations.push_back(deviation(points[i - 1], points[i], points[i + 1]));
  return deviations;
}

double noise_of(std::span<const double> deviations) {
  return deviations_a_median * median_of(std::vector<double>{deviations.begin(), deviations.end()});
}

void estimate_noise(std::vector<Point>& points) {
  const std::vector<double> deviations = deviations_of(points);
  const double most = most_above_all * noise_of(deviations);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::size_t middle = std::clamp<std::size_t>(i, 1, deviations.size()) - 1;
    const std::size_t begin = middle > noise_reach ? middle - noise_reach : 0;
    const std::size_t end = std::min(middle + noise_reach + 1, deviations.size());
    const double here = noise_of(std::span(deviations).subspan(begin, end - begin));
    points[i].noise = std::max(least_noise, std::min(here, most));
  }
}

}  // namespace

std::vector<Sample> level_launches(std::span<const Sample> samples) {
  const std::map<std::size_t, LaunchTimes> launches = medians_of(samples);
  if (launches.size() < 2) return {samples.begin(), samples.end()};
  std::vector<Sample> level;
  for (const auto& [launch, times] : launches) {
    std::vector<double> ways;
    for (const auto& [size, seconds] : times) ways.push_back(way_to_middle(launches, size, seconds));
    std::size_t at = 0;
    for (const auto& [size, seconds] : times)
      level.push_back({size, seconds * std::exp(median_around(ways, at++)), launch});
  }
  return level;
}

std::vector<Point> points_of(std::span<const Sample> samples, std::size_t most) {
  std::vector<Sample> sorted = level_launches(samples);
  std::ranges::sort(sorted, {}, &Sample::size);
  std::vector<Point> points = group(sorted, (count_sizes(sorted) + most - 1) / most);
  if (points.size() >= fewest_points_to_tell)
    estimate_noise(points);
  else
    for (Point& point : points) point.noise = assumed_noise;
  return points;
}

}  // namespace loadshare::communication
