#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "base/statistics.hpp"

namespace loadshare {

/// The maximum number of ranked differences. More are first reduced to means of consecutive groups.
inline constexpr std::size_t most_ranked = 64;

/// Returns P(V < k) for k = 0, 1 ... up to the middle of V, about which its law is symmetric. V is Wilcoxon's
/// statistic: the sum of the ranks of those among `count` <= most_ranked differences that are above 0, if all
/// 2^count sign patterns are equally likely.
const std::vector<double>& signed_rank_law(std::size_t count);

/// Returns the minimum number of differences that can be significant at `error` > 0, two-sided. The most
/// extreme outcome, all of one sign, has probability 2 / 2^n: for 5 differences p is at least 1/16.
std::size_t fewest_ranked(double error);

/// Wilcoxon's signed-rank test for differences within pairs: two-sided and exact, with Hodges and Lehmann's
/// estimate and the interval that inverts the test. The interval at `error` excludes 0 if and only if
/// p_value() <= error. (Hollander and Wolfe, Nonparametric Statistical Methods, 3.1 to 3.3)
///
/// The test assumes that the pairs are independent and that the differences are distributed symmetrically
/// about their centre. Symmetry holds if the two members of a pair have the same distribution (the test) or
/// if one is shifted (the interval). They need not be normal nor have the same spread, and a single outlier
/// has only one rank. Ties and zeros count for both sides, which makes the test conservative.
class SignedRanks {
 public:
  /// Throws UsageError if there are no differences, or one is not a number.
  explicit SignedRanks(std::span<const double> differences);

  double centre() const;
  double p_value() const;
  /// Returns an interval that contains the centre with probability >= 1 - error, or nothing for too few
  /// pairs.
  std::optional<Interval> interval(double error) const;

 private:
  std::size_t count_;
  std::vector<double>
      averages_;  ///< Walsh's averages: of each two differences and of each with itself, ascending
};

/// Returns the level at which each of several comparisons is judged, in their order (Holm's step-down
/// method). With probability 1 - error, no comparison is wrongly found significant. The smallest of m
/// p-values is compared with error / m, the next with error / (m - 1), and so on. From the first that is not
/// significant, all have its level.
std::vector<double> holm_levels(std::span<const double> p_values, double error);

}  // namespace loadshare
