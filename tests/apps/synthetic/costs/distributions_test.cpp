#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "apps/synthetic/costs/table.hpp"

namespace loadshare::synthetic {
namespace {

std::unique_ptr<Cost> cost(std::string_view spec, Index iterations = 1000, std::uint64_t seed = 1) {
  return make_cost(parse_cost(spec), {iterations, seed, {}});
}

struct Moments {
  double mean = 0;
  double cv = 0;
};

Moments moments(const Cost& cost, Index iterations) {
  double sum = 0, squares = 0;
  for (Index i = 0; i < iterations; ++i) {
    const double seconds = cost.seconds(i);
    sum += seconds;
    squares += seconds * seconds;
  }
  const auto count = static_cast<double>(iterations);
  const double mean = sum / count;
  return {mean, std::sqrt(std::max(0.0, squares / count - mean * mean)) / mean};
}

/// Moments of a normal distribution of mean 1 without its values below 0; Johnson, Kotz and Balakrishnan,
/// "Continuous univariate distributions", volume 1, chapter 13, on truncated normal distributions.
Moments truncated_normal(double cv) {
  const double at = -1 / cv;
  const double density = std::exp(-at * at / 2) / std::sqrt(2 * std::numbers::pi);
  const double hazard = density / (0.5 * std::erfc(at / std::numbers::sqrt2));
  const double mean = 1 + cv * hazard;
  return {mean, cv * std::sqrt(1 + at * hazard - hazard * hazard) / mean};
}

struct Expected {
  const char* spec;
  Moments moments;
};

TEST(Distributions, HaveTheirMoments) {
  constexpr Index iterations = 400'000;
  const Moments truncated = truncated_normal(1);
  const Expected cases[] = {
      {"constant:3ms", {3e-3, 0}},
      {"uniform:1ms,3ms", {2e-3, 1 / std::sqrt(12.0)}},
      {"uniform", {1e-3, 1 / std::sqrt(3.0)}},
      {"normal:2ms,0.25", {2e-3, 0.25}},
      {"normal:mean=2ms,cv=1", {2e-3 * truncated.mean, truncated.cv}},
      {"exponential:5us", {5e-6, 1}},
      {"gamma:200us,0.5", {200e-6, 0.5}},
      {"gamma:200us,1", {200e-6, 1}},
      {"gamma:200us,2", {200e-6, 2}},
      {"gamma:200us,0.01", {200e-6, 0.01}},
      {"gamma:200us,0", {200e-6, 0}},
      {"rising:1ms,3ms", {2e-3, 1 / std::sqrt(12.0)}},
      {"falling:1ms,3ms", {2e-3, 1 / std::sqrt(12.0)}},
      {"bimodal:1ms,5ms,0.25", {2e-3, std::sqrt(3.0) / 2}},
  };
  for (const auto& [spec, expected] : cases) {
    const Moments found = moments(*cost(spec, iterations), iterations);
    EXPECT_NEAR(found.mean, expected.mean, 0.015 * expected.mean) << spec;
    EXPECT_NEAR(found.cv, expected.cv, 0.02 * expected.cv + 1e-7) << spec;
  }
}

struct FirstValues {
  const char* spec;
  std::vector<double> seconds;
};

// Computed independently of this program, from the definitions.
TEST(Distributions, GiveTheseFirstCosts) {
  const FirstValues cases[] = {
      {"constant", {1e-3, 1e-3, 1e-3, 1e-3}},
      {"uniform", {0.00138702427802046, 0.00124108621342871, 0.000484928163823748, 0.00157967820575404}},
      {"normal", {0.00121053198120982, 0.000756215838348455, 0.00142062351682907, 0.00117169265715483}},
      {"normal:cv=1", {0.0018421279248393, 2.48633533938197e-05, 0.00268249406731628, 0.00168677062861931}},
      {"exponential", {0.0003659865354003, 0.000477160205816777, 0.00141690169540216, 0.000235926021508339}},
      {"gamma", {0.00138179085589448, 0.000524612789382402, 0.00198102862087503, 0.00128630386895405}},
      {"gamma:cv=2", {0.00335001449927129, 0.000100355010418418, 0.0010784139043158, 2.0822984863457e-05}},
      {"rising", {0, 2e-3 / 999, 4e-3 / 999, 6e-3 / 999}},
      {"falling", {2e-3, 2e-3 - 2e-3 / 999, 2e-3 - 4e-3 / 999, 2e-3 - 6e-3 / 999}},
      {"bimodal", {0.5e-3, 0.5e-3, 0.5e-3, 0.5e-3}},
  };
  for (const auto& [spec, expected] : cases) {
    const auto found = cost(spec);
    for (std::size_t i = 0; i < expected.size(); ++i)
      EXPECT_NEAR(found->seconds(static_cast<Index>(i)), expected[i], 1e-12 * expected[i])
          << spec << ' ' << i;
  }
}

TEST(Distributions, BimodalHasItsExpensiveOnesHere) {
  std::vector<Index> expensive;
  for (Index i = 0; i < 77; ++i)
    if (cost("bimodal")->seconds(i) == 5.5e-3) expensive.push_back(i);
  EXPECT_EQ(expensive, (std::vector<Index>{34, 61, 68, 72, 76}));
}

TEST(Distributions, LinearOnesReachBothEnds) {
  EXPECT_DOUBLE_EQ(cost("rising:1ms,3ms", 11)->seconds(0), 1e-3);
  EXPECT_DOUBLE_EQ(cost("rising:1ms,3ms", 11)->seconds(10), 3e-3);
  EXPECT_DOUBLE_EQ(cost("falling:1ms,3ms", 11)->seconds(0), 3e-3);
  EXPECT_DOUBLE_EQ(cost("falling:1ms,3ms", 11)->seconds(10), 1e-3);
  EXPECT_DOUBLE_EQ(cost("rising:1ms,3ms", 1)->seconds(0), 2e-3);
  EXPECT_DOUBLE_EQ(cost("falling:1ms,3ms", 1)->seconds(0), 2e-3);
}

class EveryCost : public testing::TestWithParam<CostEntry> {
 protected:
  std::unique_ptr<Cost> made(std::uint64_t seed = 1) const {
    const std::string spec = GetParam().name == "file" ? "file:unread" : GetParam().name;
    std::string lines;
    for (int i = 0; i < 1000; ++i) lines += "0.5\n";
    return make_cost(parse_cost(spec), {1000, seed, lines});
  }
};

TEST_P(EveryCost, IsTheSameInAnyOrderAndForAnyWorker) {
  const auto forwards = made(), backwards = made();
  std::vector<double> costs(1000);
  for (Index i = 0; i < 1000; ++i) costs[static_cast<std::size_t>(i)] = forwards->seconds(i);
  for (Index i = 999; i >= 0; --i) ASSERT_EQ(backwards->seconds(i), costs[static_cast<std::size_t>(i)]);
}

TEST_P(EveryCost, IsFiniteAndNotNegative) {
  for (std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{1}, ~std::uint64_t{0}}) {
    const auto cost = made(seed);
    for (Index i = 0; i < 1000; ++i) {
      ASSERT_TRUE(std::isfinite(cost->seconds(i)));
      ASSERT_GE(cost->seconds(i), 0);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Table, EveryCost, testing::ValuesIn(cost_entries()),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace loadshare::synthetic
