#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>

#include "base/types.hpp"

namespace loadshare {

struct Interval {
  double low = 0;
  double high = 0;
};

/// Returns the mean, or NaN if there are no values.
double mean_of(std::span<const double> values);

/// Returns the median: of an even number, the mean of the two middle values. Throws UsageError without
/// values.
double median_of(std::span<const double> values);

/// Returns the quantile `share` in [0, 1], 0 for the smallest value and 1 for the largest, interpolated
/// between values (Hyndman and Fan, Sample Quantiles in Statistical Packages, definition 7). Throws as
/// median_of() does.
double quantile_of(std::span<const double> values, double share);

/// Returns half the distance between the quantiles 0.16 and 0.84. For a normal distribution that is the
/// standard deviation, but single outliers hardly move it. Throws as median_of() does.
double middle_deviation_of(std::span<const double> values);

/// Returns the sample standard deviation (n - 1 in the denominator), or 0 for fewer than two values.
double standard_deviation_of(std::span<const double> values);

/// The straight line start + slope x.
struct Line {
  double start = 0;
  double slope = 0;
};

/// The sums from which a line is fitted by weighted least squares.
struct LineSums {
  double n = 0, x = 0, y = 0, xx = 0, xy = 0;

  void add(double at, double value, double weight = 1) {
    n += weight, x += weight * at, xx += weight * at * at;
    y += weight * value, xy += weight * at * value;
  }
  /// Returns the fitted line, level if x hardly varies. At least one point must have been added.
  Line line() const;
  /// Returns the best line that has neither a negative slope nor a negative start. The problem is convex: if
  /// the unconstrained optimum is not allowed, the best line is on an edge.
  Line rising_line() const;
};

/// With fewer samples, the smallest and the largest do not enclose the median in 95 % of cases.
inline constexpr Index least_samples_of_interval = 6;

/// Returns the interval that contains the median with probability >= 1 - error, for any distribution. It lies
/// between the k-th smallest and the k-th largest sample, with the largest k for which P(Binomial(n, 1/2) <
/// k) <= error / 2. Returns nothing for too few samples: at 0.05, fewer than `least_samples_of_interval`.
/// (David and Nagaraja, Order Statistics, 7.1)
std::optional<Interval> median_interval(std::span<const double> samples, double error = 0.05);

/// Returns quantile 0.95 of Student's t with `freedom` >= 1 degrees of freedom. Beyond the table, t = z + 1.6
/// / freedom, which is within 0.01.
constexpr double students_t_95(std::size_t freedom) {
  constexpr std::array table{6.314, 2.920, 2.353, 2.132, 2.015, 1.943, 1.895, 1.860,
                             1.833, 1.812, 1.796, 1.782, 1.771, 1.761, 1.753, 1.746};
  const std::size_t at = std::max<std::size_t>(1, freedom);
  return at <= table.size() ? table[at - 1] : 1.645 + 1.6 / static_cast<double>(at);
}

/// Returns the interval that contains 9 of 10 further values of the same distribution, on average over
/// samples. (The samples' own quantiles 0.05 and 0.95 contain fewer.) From 19 samples it uses order
/// statistics at 0.05 (n + 1) and 0.95 (n + 1), for any distribution (David and Nagaraja, Order Statistics,
/// 7.3). With fewer it uses Student's t and a log-normal distribution, or the extremes if not all samples are
/// positive. Throws as median_of() does.
Interval prediction_interval(std::span<const double> samples);

/// Returns the ratio of that quantile to the normal distribution's.
constexpr double students_t_over_normal(std::size_t freedom) {
  return students_t_95(freedom) / 1.645;
}

}  // namespace loadshare
