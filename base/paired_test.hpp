#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "base/statistics.hpp"

namespace loadshare {

/// Of more differences than that, the means of so many groups of consecutive ones are judged.
inline constexpr std::size_t most_ranked = 64;

/// P(V < k) for k = 0, 1 ... of Wilcoxon's V, the sum of the ranks of those among `count` <= most_ranked
/// differences that are above 0, where all 2^count ways of their signs are alike. Up to the middle of V,
/// about which its law is symmetric.
const std::vector<double>& signed_rank_law(std::size_t count);

/// The fewest differences that can be significant at `error` > 0, two-sided: all of them have one sign in 2
/// of 2^n ways. Of 5 differences p is 1/16 at least.
std::size_t fewest_ranked(double error);

/// Wilcoxon's signed-rank test of differences within pairs, two-sided and exact, with the estimate and the
/// interval that belong to it: Hodges and Lehmann's, the test turned round. So an interval at `error` leaves
/// out 0 where and only where p_value() <= error. (Hollander and Wolfe, Nonparametric Statistical Methods,
/// 3.1 to 3.3)
///
/// It takes the pairs to be independent, and each difference to be as likely so much above the centre as so
/// much below it. That is so by itself where the two of a pair are alike (the test), and where one is the
/// other shifted (the interval); they need be neither normal nor equally wide, and a single outlier is but
/// one rank. Equal differences and 0 count for both sides, which makes the test hold more than it says.
class SignedRanks {
 public:
  /// Throws UsageError where there are no differences, or where one is no number.
  explicit SignedRanks(std::span<const double> differences);

  double centre() const;
  double p_value() const;
  /// That holds the centre in a share of 1 - error of cases at least; nothing where the pairs are too few.
  std::optional<Interval> interval(double error) const;

 private:
  std::size_t count_;
  std::vector<double> averages_;  ///< Walsh's: of each two differences and of each with itself, ascending
};

/// At what each of several comparisons is judged, in their order, so that with a probability of 1 - error all
/// that are significant are so rightly: Holm's step down. The least of m p-values is held against error / m,
/// the next against error / (m - 1) and so on; from the first that is not significant on, all have its level.
std::vector<double> holm_levels(std::span<const double> p_values, double error);

}  // namespace loadshare
