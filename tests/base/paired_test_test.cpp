#include "base/paired_test.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <random>

#include "base/error.hpp"
#include "base/random.hpp"

namespace loadshare {
namespace {

using testing::DoubleEq;
using testing::ElementsAre;

double p_of(const std::vector<double>& differences) {
  return SignedRanks(differences).p_value();
}

TEST(SignedRankLaw, CountsAllSignPatterns) {
  // The sums of the subsets of three ranks are 0, 1, 2, 3, 3, 4, 5, 6.
  EXPECT_THAT(signed_rank_law(3),
              ElementsAre(0, DoubleEq(1. / 8), DoubleEq(2. / 8), DoubleEq(3. / 8), DoubleEq(5. / 8)));
}

// The table of Wilcoxon: the largest V that is significant at 5 %, two-sided.
TEST(SignedRankLaw, HasTheTabulatedCriticalValues) {
  struct Row {
    std::size_t count, critical;
  };
  for (const Row& row : {Row{6, 0}, Row{7, 2}, Row{8, 3}, Row{9, 5}, Row{10, 8}, Row{12, 13}, Row{15, 25},
                         Row{20, 52}, Row{25, 89}, Row{30, 137}}) {
    const auto& law = signed_rank_law(row.count);
    EXPECT_LE(law[row.critical + 1], 0.025) << row.count;
    EXPECT_GT(law[row.critical + 2], 0.025) << row.count;
  }
}

TEST(SignedRanks, PValuesByHand) {
  EXPECT_DOUBLE_EQ(p_of({1, 2, 3, 4, 5}), 2. / 32) << "all of one sign: the least that five can have";
  EXPECT_DOUBLE_EQ(p_of({-1, 2, 3, 4, 5}), 4. / 32) << "the sums 0 and 1";
  EXPECT_DOUBLE_EQ(p_of({1, 2, -3, 4, 5}), 10. / 32) << "the sums 0, 1, 2, 3, 1 + 2";
  EXPECT_DOUBLE_EQ(p_of({-1, -2, -3, -4, -5, -6}), 2. / 64);
  EXPECT_DOUBLE_EQ(p_of({3}), 1);
  EXPECT_DOUBLE_EQ(p_of({0, 0, 0, 0, 0, 0, 0}), 1);
  EXPECT_DOUBLE_EQ(p_of({1, -1, 2, -2}), 1);
}

// Darwin's maize, crossed versus self-fertilised, in eighths of an inch; V = 24 of 15 pairs, p = 0.0413.
TEST(SignedRanks, DarwinsMaizeHasThePublishedPValue) {
  const SignedRanks maize(std::vector<double>{49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48});
  EXPECT_NEAR(maize.p_value(), 0.0413, 0.0001);
  EXPECT_GT(maize.interval(0.05)->low, 0);
  EXPECT_LT(maize.interval(0.04)->low, 0);
}

TEST(SignedRanks, TheCentreAndItsIntervalComeFromPairwiseAverages) {
  // 21 pairwise averages of 0, 1, 3, 7, 8, 9: with 6 pairs the interval extends from the smallest to the
  // largest.
  const SignedRanks ranks(std::vector<double>{0, 1, 3, 7, 8, 9});
  EXPECT_DOUBLE_EQ(ranks.centre(), 4.5);
  EXPECT_DOUBLE_EQ(ranks.interval(0.05)->low, 0);
  EXPECT_DOUBLE_EQ(ranks.interval(0.05)->high, 9);
  EXPECT_DOUBLE_EQ(ranks.interval(0.07)->low, 0.5) << "P(V < 2) = 2 / 64 <= 0.035";
  EXPECT_FALSE(ranks.interval(0.03));
}

TEST(SignedRanks, AnIntervalExcludesZeroIfTheTestIsSignificant) {
  std::mt19937_64 random(5);
  for (int trial = 0; trial < 2000; ++trial) {
    std::vector<double> differences;
    for (int i = 0; i < 5 + trial % 12; ++i)  // rounded, so that some are equal and some are 0
      differences.push_back(std::round(4 * (normal(random) + 0.5)));
    const SignedRanks ranks(differences);
    for (const double error : {0.05, 0.0125, 0.4, 2. / 32, 4. / 64}) {
      const auto interval = ranks.interval(error);
      EXPECT_EQ(interval && (interval->low > 0 || interval->high < 0), ranks.p_value() <= error);
    }
  }
}

/// Returns how often the interval of `count` differences of skewed pairs contains the true value.
double coverage(int count, double error) {
  std::mt19937_64 random(11);
  int held = 0;
  constexpr int trials = 4000;
  const auto cost = [&random] { return std::exp(0.3 * normal(random)); };
  for (int trial = 0; trial < trials; ++trial) {
    std::vector<double> differences;
    for (int i = 0; i < count; ++i) differences.push_back(0.2 + std::log(cost() + 1) - std::log(cost() + 1));
    const auto interval = SignedRanks(differences).interval(error);
    held += interval->low <= 0.2 && 0.2 <= interval->high ? 1 : 0;
  }
  return static_cast<double>(held) / trials;
}

TEST(SignedRanks, AnIntervalContainsTheCentreAsOftenAsPromised) {
  EXPECT_NEAR(coverage(6, 0.05), 1 - 2. / 64, 0.01);
  EXPECT_NEAR(coverage(10, 0.05), 1 - 2 * signed_rank_law(10)[9], 0.01);
  EXPECT_NEAR(coverage(30, 0.05), 0.95, 0.01);
  EXPECT_NEAR(coverage(100, 0.05), 0.95, 0.01) << "in groups";
}

TEST(SignedRanks, FewPairsCannotBeSignificant) {
  EXPECT_EQ(fewest_ranked(0.05), 6u) << "2 / 2^5 is above, 2 / 2^6 below";
  EXPECT_EQ(fewest_ranked(1. / 16), 5u);
  EXPECT_EQ(fewest_ranked(0.05 / 3), 7u);
  EXPECT_EQ(fewest_ranked(0.05 / 66), 12u);
}

TEST(SignedRanks, RefusesDifferencesThatAreNotNumbers) {
  EXPECT_THROW(SignedRanks(std::span<const double>()), UsageError);
  EXPECT_THROW(SignedRanks(std::vector{1.0, std::nan("")}), UsageError);
  EXPECT_THROW(SignedRanks(std::vector<double>{1.0, -INFINITY}), UsageError);
}

// The example of many textbooks: two of four are significant, although 0.03 and 0.04 would be significant
// alone.
TEST(Holm, StepsDown) {
  EXPECT_THAT(holm_levels(std::vector{0.01, 0.04, 0.03, 0.005}, 0.05),
              ElementsAre(DoubleEq(0.05 / 3), DoubleEq(0.05 / 2), DoubleEq(0.05 / 2), DoubleEq(0.05 / 4)));
}

TEST(Holm, StopsAtTheFirstThatIsNotSignificant) {
  EXPECT_THAT(holm_levels(std::vector{0.02, 0.03, 0.04}, 0.05), testing::Each(DoubleEq(0.05 / 3)));
  EXPECT_THAT(holm_levels(std::vector{0.05}, 0.05), ElementsAre(0.05));
  EXPECT_THAT(holm_levels({}, 0.05), testing::IsEmpty());
}

}  // namespace
}  // namespace loadshare
