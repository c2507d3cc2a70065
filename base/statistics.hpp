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

/// The mean; not a number where there are none.
double mean_of(std::span<const double> values);

/// The median; the mean of the two middle ones of an even number. Throws UsageError where there are none.
double median_of(std::span<const double> values);

/// The value below which that share of the others lies, 0 the least and 1 the most; between two values it is
/// interpolated (Hyndman and Fan, Sample Quantiles in Statistical Packages, definition 7). Throws as
/// median_of does.
double quantile_of(std::span<const double> values, double share);

/// Half the distance of the quantiles 0.16 and 0.84: of a normal distribution its standard deviation, and
/// hardly moved by single outliers. Throws as median_of does.
double middle_deviation_of(std::span<const double> values);

/// The standard deviation of the distribution that the values are samples of; 0 of fewer than two.
double standard_deviation_of(std::span<const double> values);

/// The straight line start + slope x.
struct Line {
  double start = 0;
  double slope = 0;
};

/// What a line by weighted least squares is made of.
struct LineSums {
  double n = 0, x = 0, y = 0, xx = 0, xy = 0;

  void add(double at, double value, double weight = 1) {
    n += weight, x += weight * at, xx += weight * at * at;
    y += weight * value, xy += weight * at * value;
  }
  /// Something must have been added; level where it hardly differs in x.
  Line line() const;
  /// The best of the lines that neither fall nor begin below 0. The problem is convex, so where the best of
  /// all lines is not allowed, the best lies on an edge.
  Line rising_line() const;
};

/// Below this many samples the least and the largest do not enclose the median in 95 % of cases.
inline constexpr Index least_samples_of_interval = 6;

/// The interval that holds the median in a share of 1 - error of cases, from order statistics, whatever the
/// distribution: between the k-th smallest and the k-th largest sample, k as large as P(Binomial(n, 1/2) < k)
/// <= error / 2 allows. Nothing where there are too few, at 0.05 fewer than `least_samples_of_interval`.
/// (David and Nagaraja, Order Statistics, 7.1)
std::optional<Interval> median_interval(std::span<const double> samples, double error = 0.05);

/// Quantile 0.95 of Student's t with so many degrees of freedom >= 1; beyond the table by t = z + 1.6 /
/// freedom, within 0.01.
constexpr double students_t_95(std::size_t freedom) {
  constexpr std::array table{6.314, 2.920, 2.353, 2.132, 2.015, 1.943, 1.895, 1.860,
                             1.833, 1.812, 1.796, 1.782, 1.771, 1.761, 1.753, 1.746};
  const std::size_t at = std::max<std::size_t>(1, freedom);
  return at <= table.size() ? table[at - 1] : 1.645 + 1.6 / static_cast<double>(at);
}

/// Between which two 9 of 10 further values of the same distribution lie, in the mean over samples: their own
/// quantiles 0.05 and 0.95 hold fewer. By order statistics, at 0.05 (n + 1) and 0.95 (n + 1), whatever the
/// distribution (David and Nagaraja, Order Statistics, 7.3); of fewer than 19, which have none so far out, by
/// Student's t as of a log-normal distribution, or, where not all are positive, between the outermost.
/// Throws as median_of does.
Interval prediction_interval(std::span<const double> samples);

/// The same quantile over that of the normal distribution.
constexpr double students_t_over_normal(std::size_t freedom) {
  return students_t_95(freedom) / 1.645;
}

}  // namespace loadshare
