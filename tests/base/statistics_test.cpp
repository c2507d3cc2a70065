#include "base/statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numeric>
#include <random>
#include <vector>

#include "base/error.hpp"
#include "base/random.hpp"

namespace loadshare {
namespace {

std::vector<double> first_numbers(std::size_t count) {
  std::vector<double> values(count);
  std::iota(values.begin(), values.end(), 1.0);
  return values;
}

TEST(Median, LiesBetweenTheMiddleValuesOfAnEvenNumber) {
  EXPECT_DOUBLE_EQ(median_of(std::vector{4.0, 1.0, 3.0, 2.0}), 2.5);
  EXPECT_DOUBLE_EQ(median_of(std::vector{7.0}), 7);
  EXPECT_THROW((void)median_of({}), UsageError);
}

TEST(Quantiles, LieBetweenTheValues) {
  EXPECT_DOUBLE_EQ(quantile_of(std::vector{40.0, 10.0, 30.0, 20.0, 50.0}, 0), 10);
  EXPECT_DOUBLE_EQ(quantile_of(std::vector{40.0, 10.0, 30.0, 20.0, 50.0}, 0.9), 46);
  EXPECT_DOUBLE_EQ(quantile_of(std::vector{40.0, 10.0, 30.0, 20.0, 50.0}, 1), 50);
  EXPECT_DOUBLE_EQ(quantile_of(std::vector{7.0}, 0.3), 7);
  EXPECT_THROW((void)quantile_of({}, 0.5), UsageError);
}

TEST(Median, IsTheMiddleOne) {
  EXPECT_EQ(median_of(std::vector{3.0, 1.0, 2.0}), 2);
  EXPECT_EQ(median_of(std::vector{4.0, 1.0, 2.0, 3.0}), 2.5);
}

TEST(Deviations, MatchKnownSamples) {
  EXPECT_DOUBLE_EQ(standard_deviation_of(std::vector{1.0, 3.0, 5.0}), 2);
  EXPECT_EQ(standard_deviation_of(std::vector{7.0}), 0);
  EXPECT_DOUBLE_EQ(middle_deviation_of(first_numbers(101)), 34);
}

TEST(LineSums, GiveTheLineThatThePointsAreOn) {
  LineSums sums;
  for (const double x : {1.0, 2.0, 5.0}) sums.add(x, 3 + 2 * x, 1 / x);
  EXPECT_NEAR(sums.line().start, 3, 1e-12);
  EXPECT_NEAR(sums.line().slope, 2, 1e-12);
  EXPECT_NEAR(sums.rising_line().slope, 2, 1e-12);
}

TEST(LineSums, ARisingLineNeitherFallsNorBeginsBelowZero) {
  LineSums falling;
  falling.add(1, 4), falling.add(2, 2);
  EXPECT_EQ(falling.rising_line().slope, 0);
  EXPECT_EQ(falling.rising_line().start, 3);
  LineSums steep;
  steep.add(1, 0), steep.add(2, 5);
  EXPECT_EQ(steep.rising_line().start, 0);
  EXPECT_EQ(steep.rising_line().slope, 2);
}

TEST(LineSums, PointsWithOneAbscissaGiveALevelLine) {
  LineSums sums;
  sums.add(2, 4), sums.add(2, 6);
  EXPECT_EQ(sums.line().slope, 0);
  EXPECT_EQ(sums.line().start, 5);
}

TEST(MedianInterval, FewerThanSixSamplesHaveNoInterval) {
  EXPECT_FALSE(median_interval(first_numbers(0)));
  EXPECT_FALSE(median_interval(first_numbers(5)));
  EXPECT_TRUE(median_interval(first_numbers(6)));
}

// The table of Conover, Practical Nonparametric Statistics: ranks of the 95 % interval.
TEST(MedianInterval, IntervalsHaveTheTabulatedRanks) {
  struct Row {
    std::size_t count;
    double low, high;
  };
  for (const Row& row : {Row{6, 1, 6}, Row{8, 1, 8}, Row{9, 2, 8}, Row{10, 2, 9}, Row{15, 4, 12},
                         Row{20, 6, 15}, Row{25, 8, 18}, Row{30, 10, 21}, Row{100, 40, 61}}) {
    const auto interval = median_interval(first_numbers(row.count));
    ASSERT_TRUE(interval) << row.count;
    EXPECT_EQ(interval->low, row.low) << row.count;
    EXPECT_EQ(interval->high, row.high) << row.count;
  }
  EXPECT_TRUE(median_interval(first_numbers(5000))) << "2^-5000 is no double";
}

TEST(MedianInterval, ASmallerErrorNeedsMoreSamplesAndGivesAWiderInterval) {
  EXPECT_FALSE(median_interval(first_numbers(7), 0.01));
  EXPECT_EQ(median_interval(first_numbers(8), 0.01)->low, 1) << "2 / 2^8 is below 0.01";
  EXPECT_EQ(median_interval(first_numbers(20), 0.01)->low,
            4);  // P(Binomial(20, 1/2) < 4) = 0.0013, < 5: 0.0059
}

/// Returns the share of further values that intervals of `count` samples contain.
double held(std::size_t count, const std::function<double(std::mt19937_64&)>& draw) {
  constexpr int trials = 8'000;
  std::mt19937_64 random(count);
  int held = 0;
  for (int trial = 0; trial < trials; ++trial) {
    std::vector<double> samples(count);
    for (double& sample : samples) sample = draw(random);
    const Interval interval = prediction_interval(samples);
    const double further = draw(random);
    held += interval.low <= further && further <= interval.high ? 1 : 0;
  }
  return static_cast<double>(held) / trials;
}

TEST(PredictionInterval, HoldsNineOfTenFurtherValues) {
  const auto log_normal = [](std::mt19937_64& random) { return std::exp(0.1 * normal(random)); };
  const auto skewed = [](std::mt19937_64& random) { return 1 - std::log(1 - fraction(random)); };
  constexpr double close = 0.02;  // chance, and a percent for the line between two order statistics
  for (const std::size_t count : {2u, 3u, 5u, 10u, 15u, 18u, 19u, 24u, 30u, 39u, 100u})
    EXPECT_NEAR(held(count, log_normal), 0.9, close) << count;
  for (const std::size_t count : {19u, 30u, 100u}) EXPECT_NEAR(held(count, skewed), 0.9, close) << count;
}

TEST(PredictionInterval, OfOneSampleIsThatSample) {
  EXPECT_EQ(prediction_interval(std::vector{3.0}).low, 3);
  EXPECT_EQ(prediction_interval(std::vector{3.0}).high, 3);
  EXPECT_EQ(prediction_interval(std::vector{0.0, 0.0, 1.0}).high, 1);
}

}  // namespace
}  // namespace loadshare
