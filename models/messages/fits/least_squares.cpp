#include "models/messages/fits/least_squares.hpp"

#include <algorithm>

#include "models/messages/fit.hpp"

namespace loadshare::communication {
namespace {

Sample mean_of(std::span<const Sample> samples) {
  Sample mean;
  for (const Sample& sample : samples) {
    mean.size += sample.size / static_cast<double>(samples.size());
    mean.seconds += sample.seconds / static_cast<double>(samples.size());
  }
  return mean;
}

/// About the means: the plain sums of squares would cancel.
Segment line_through(std::span<const Sample> samples) {
  const Sample mean = mean_of(samples);
  double squares = 0, products = 0;
  for (const Sample& sample : samples) {
    squares += (sample.size - mean.size) * (sample.size - mean.size);
    products += (sample.size - mean.size) * (sample.seconds - mean.seconds);
  }
  const double c_s = products / squares;
  return {0, 0, c_s, mean.seconds - c_s * mean.size, 1, 1};
}

}  // namespace

Curve fit_least_squares(std::span<const Sample> samples) {
  Segment line = line_through(samples);
  const auto [least, most] = std::ranges::minmax(samples, {}, &Sample::size);
  line.first_size = least.size;
  line.last_size = most.size;
  LaunchRatios ratios;
  for (const Sample& sample : samples)
    ratios[sample.launch].push_back(sample.seconds / (line.c_s * sample.size + line.k_s));
  const Band band = band_of_launches(ratios);
  line.low = band.low;
  line.high = band.high;
  return Curve({line});
}

}  // namespace loadshare::communication
