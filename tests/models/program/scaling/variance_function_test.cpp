#include "models/program/scaling/variance_function.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>
#include <vector>

#include "base/statistics.hpp"

namespace loadshare::scaling {
namespace {

using Deviation = double (*)(double mean);

/// Variances as ten values of each mean have them.
std::vector<VarianceSample> sampled(const std::vector<double>& means, Deviation deviation,
                                    std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<VarianceSample> samples;
  for (const double mean : means) {
    std::normal_distribution<double> values(mean, deviation(mean));
    std::vector<double> seen(10);
    for (double& value : seen) value = values(random);
    const double seen_deviation = standard_deviation_of(seen);
    samples.push_back({mean, seen_deviation * seen_deviation, 9});
  }
  return samples;
}

/// Returns the estimated variance at a mean of 100, from means of 0.1 to 10, relative to the truth: for many
/// seeds, ascending.
std::vector<double> ratios_of(Deviation deviation) {
  std::vector<double> ratios;
  for (std::uint32_t seed = 1; seed <= 100; ++seed) {
    const VarianceFunction variance = fit_variance(sampled({0.1, 0.3, 1, 3, 10}, deviation, seed));
    ratios.push_back(std::sqrt(variance.relative_at(100)) * 100 / deviation(100));
  }
  std::ranges::sort(ratios);
  return ratios;
}

TEST(VarianceFunctionTest, IsConstantForStalls) {
  const VarianceFunction variance =
      fit_variance(std::vector<VarianceSample>{{1, 4, 10}, {10, 4, 10}, {100, 4, 10}});
  EXPECT_NEAR(std::sqrt(variance.relative_at(1)), 2, 1e-6);
  EXPECT_NEAR(std::sqrt(variance.relative_at(1000)), 0.002, 1e-6);
}

TEST(VarianceFunctionTest, IsProportionalForRelativeScatter) {
  const VarianceFunction variance =
      fit_variance(std::vector<VarianceSample>{{1, 0.01, 10}, {10, 1, 10}, {100, 100, 10}});
  EXPECT_NEAR(std::sqrt(variance.relative_at(1e6)), 0.1, 1e-6);
}

TEST(VarianceFunctionTest, TakesAShareFromASingleMean) {
  for (int mean = 1; mean <= 100; ++mean) {
    const VarianceSample sample{0.1 * mean, 1e-4 * mean * mean, 10};
    const VarianceFunction variance = fit_variance(std::vector<VarianceSample>{sample});
    EXPECT_NEAR(std::sqrt(variance.relative_at(20)), 0.1, 1e-9) << mean;
  }
}

TEST(VarianceFunctionTest, TakesAShareFromCloseMeans) {
  for (const auto& [first, second] : {std::pair{0.05, 0.03}, std::pair{0.03, 0.05}}) {
    const std::vector<VarianceSample> samples{{2.00, first, 9}, {2.02, second, 9}};
    EXPECT_NEAR(std::sqrt(fit_variance(samples).relative_at(20)), 0.1, 0.001);
  }
}

TEST(VarianceFunctionTest, SubtractsKnownVariance) {
  const std::vector<VarianceSample> samples{{1, 0.05, 1000, 0.04}, {10, 5, 1000, 4}};
  EXPECT_NEAR(fit_variance(samples).relative_at(3), 0.01, 1e-6);
  EXPECT_NEAR(fit_variance(std::vector<VarianceSample>{{1, 0.03, 10, 0.04}}).relative_at(1), 0, 1e-9);
}

TEST(VarianceFunctionTest, IsZeroWithoutScatter) {
  EXPECT_EQ(fit_variance({}).relative_at(1), 0);
  EXPECT_EQ(fit_variance(std::vector<VarianceSample>{{1, 0, 3}, {2, 0, 3}}).relative_at(1), 0);
}

TEST(VarianceFunctionTest, FindsEachPartThroughChance) {
  for (const Deviation deviation : {Deviation([](double mean) { return 0.2 * mean; }),
                                    Deviation([](double mean) { return std::hypot(0.5, 0.1 * mean); })}) {
    const std::vector<double> ratios = ratios_of(deviation);
    EXPECT_NEAR(median_of(ratios), 1, 0.25);
    EXPECT_GT(ratios[5], 0.3);
    EXPECT_LT(ratios[95], 2);
  }
  const std::vector<double> of_stalls = ratios_of([](double) { return 0.05; });
  EXPECT_GT(of_stalls[5], 0.6);
  EXPECT_LT(median_of(of_stalls),
            8);  // a share of a thousandth that chance may hide is ten times as much at 100
}

}  // namespace
}  // namespace loadshare::scaling
