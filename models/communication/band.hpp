#pragma once

#include <cstddef>
#include <map>
#include <vector>

namespace loadshare::communication {

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
