#include "models/messages/fits/constant.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/error.hpp"
#include "base/statistics.hpp"
#include "models/messages/fit.hpp"
#include "models/messages/fits/points.hpp"

namespace loadshare::communication {
namespace {

/// What is known of one size alone: its median, each launch counting alike, for all.
Segment constant(std::span<const Sample> samples) {
  std::vector<double> seconds;
  for (const Sample& sample : level_launches(samples)) seconds.push_back(sample.seconds);
  const double median_s = median_of(seconds);
  LaunchRatios ratios;
  for (const Sample& sample : samples) ratios[sample.launch].push_back(sample.seconds / median_s);
  const Band band = band_of_launches(ratios);
  return {samples.front().size, samples.front().size, 0, median_s, band.low, band.high};
}

}  // namespace

Curve fit_or_constant(const std::string& fit, std::span<const Sample> samples, const std::string& what) {
  const auto is_of_first = [&](const Sample& sample) { return sample.size == samples.front().size; };
  if (std::ranges::all_of(samples, is_of_first)) return Curve({constant(samples)});
  try {
    return fit_curve(fit, samples);
  } catch (const UsageError& error) {
    throw UsageError(fmt::format("{}: {}", what, error.what()));
  }
}

}  // namespace loadshare::communication
