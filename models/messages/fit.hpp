#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "models/messages/curve.hpp"

namespace loadshare::communication {

/// A way from samples to a curve.
struct FitInfo {
  const char* name;
  const char* description;
  /// Of samples that require_fittable() takes.
  Curve (*fit)(std::span<const Sample> samples);
};

/// The ways there are, the usual one first.
std::span<const FitInfo> fits();

/// The way of that name; throws UsageError, with the nearest name, where there is none.
const FitInfo& find_fit(const std::string& name);

/// Samples a line takes at least: two lie on any, and tell nothing of how far it is off.
inline constexpr std::size_t fewest_samples = 3;

/// Throws UsageError on a negative size, and on a time that is not more than 0.
void require_positive(std::span<const Sample> samples);

/// Throws UsageError where no line can be laid through the samples: they are too few, are all of one size, or
/// hold a negative size or a time that is not more than 0.
void require_fittable(std::span<const Sample> samples);

/// The curve that the fit of this name lays through the samples; throws UsageError, as the two above do.
Curve fit_curve(const std::string& name, std::span<const Sample> samples);

/// Between which multiples of its line a new sample lies nine times of ten.
struct Band {
  double low = 1;
  double high = 1;
};

/// Ratios from which on the band is made of their own quantiles.
inline constexpr std::size_t enough_ratios = 19;

/// The band of ratios sample / line. From 19 on the order statistics i = 0.05 (n + 1) and 0.95 (n + 1),
/// between which a new one of the same distribution lies with probability 0.9, whatever the distribution. Of
/// fewer, whose least and most would promise too much, the interval of Student's t for a new normal value, of
/// their logarithms about a line of two parameters. Ratios that are not positive tell nothing and are passed
/// over.
Band band_of(std::vector<double> ratios);

/// Ratios sample / line by the launch of the sample.
using LaunchRatios = std::map<std::size_t, std::vector<double>>;

/// The band of a launch yet to come. A launch is off the line as a whole, and its samples about their own
/// middle: the band of these, and Student's interval for the median of a new launch, of the logarithms of the
/// launches' medians, are put together as independent errors are. Of one launch it is the band of its
/// samples.
Band band_of_launches(const LaunchRatios& ratios);

}  // namespace loadshare::communication
