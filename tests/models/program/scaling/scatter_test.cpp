#include "models/program/scaling/scatter.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "base/statistics.hpp"

namespace loadshare::scaling {
namespace {

using Deviation = double (*)(double mean);

/// Variances as ten values of each mean have them.
std::vector<SpreadSample> sampled(const std::vector<double>& means, Deviation deviation, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<SpreadSample> samples;
  for (const double mean : means) {
    std::normal_distribution<double> values(mean, deviation(mean));
    std::vector<double> seen(10);
    for (double& value : seen) value = values(random);
    const double seen_deviation = standard_deviation_of(seen);
    samples.push_back({mean, seen_deviation * seen_deviation, 9});
  }
  return samples;
}

/// What is told of a mean of 100 from means of 0.1 to 10, over the truth: the middle one of many.
double middle_ratio(Deviation deviation) {
  std::vector<double> ratios;
  for (std::uint32_t seed = 1; seed <= 100; ++seed) {
    const Scatter scatter = fit_scatter(sampled({0.1, 0.3, 1, 3, 10}, deviation, seed));
    ratios.push_back(std::sqrt(scatter.relative_variance_at(100)) * 100 / deviation(100));
  }
  return median_of(ratios);
}

TEST(ScatterTest, IsAsLargeEverywhereAsStallsAre) {
  const Scatter scatter = fit_scatter(std::vector<SpreadSample>{{1, 4, 10}, {10, 4, 10}, {100, 4, 10}});
  EXPECT_NEAR(std::sqrt(scatter.relative_variance_at(1)), 2, 1e-6);
  EXPECT_NEAR(std::sqrt(scatter.relative_variance_at(1000)), 0.002, 1e-6);
}

TEST(ScatterTest, IsAShareOfWhatScattersByAShare) {
  const Scatter scatter = fit_scatter(std::vector<SpreadSample>{{1, 0.01, 10}, {10, 1, 10}, {100, 100, 10}});
  EXPECT_NEAR(std::sqrt(scatter.relative_variance_at(1e6)), 0.1, 1e-6);
}

TEST(ScatterTest, TakesAShareFromOneMeanAlone) {
  const Scatter scatter = fit_scatter(std::vector<SpreadSample>{{2, 0.04, 10}});
  EXPECT_NEAR(std::sqrt(scatter.relative_variance_at(20)), 0.1, 1e-9);
}

TEST(ScatterTest, IsNoneWhereNothingScatters) {
  EXPECT_EQ(fit_scatter({}).relative_variance_at(1), 0);
  EXPECT_EQ(fit_scatter(std::vector<SpreadSample>{{1, 0, 3}, {2, 0, 3}}).relative_variance_at(1), 0);
}

TEST(ScatterTest, FindsEachPartThroughChance) {
  EXPECT_NEAR(middle_ratio([](double mean) { return 0.2 * mean; }), 1, 0.25);
  EXPECT_NEAR(middle_ratio([](double mean) { return std::hypot(0.5, 0.1 * mean); }), 1, 0.25);
  const double of_stalls = middle_ratio([](double) { return 0.05; });
  EXPECT_GT(of_stalls, 0.8);
  EXPECT_LT(of_stalls, 8);  // a share of a thousandth that chance may hide is ten times as much at 100
}

}  // namespace
}  // namespace loadshare::scaling
