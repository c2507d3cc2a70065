#pragma once

#include <optional>
#include <span>

#include "experiments/sweep/spec.hpp"
#include "schedulers/types.hpp"

namespace loadshare::sweep {

struct Interval {
  double low = 0;
  double high = 0;
};

/// Below this many samples the least and the largest do not enclose the median in 95 % of cases.
inline constexpr Index least_samples_of_interval = 6;

double median(std::span<const double> samples);

/// The 95 % interval of the median from order statistics, whatever the distribution: between the k-th
/// smallest and the k-th largest sample, k as large as P(Binomial(n, 1/2) < k) <= 0.025 allows. Nothing for
/// fewer than `least_samples_of_interval`. (David and Nagaraja, Order Statistics, 7.1)
std::optional<Interval> median_interval(std::span<const double> samples);

/// Whether a point with these samples (seconds) has run often enough.
bool is_enough(const Repeat& repeat, std::span<const double> samples);

}  // namespace loadshare::sweep
