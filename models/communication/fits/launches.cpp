#include "models/communication/fits/launches.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "models/granularity/spread.hpp"

namespace loadshare::communication {
namespace {

using granularity::median_of;

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
  return median_of({values.begin() + static_cast<std::ptrdiff_t>(begin),
                    values.begin() + static_cast<std::ptrdiff_t>(end)});
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

}  // namespace loadshare::communication
