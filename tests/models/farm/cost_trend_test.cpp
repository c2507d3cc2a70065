#include "models/farm/cost_trend.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <vector>

namespace loadshare::predictor {
namespace {

/// A loop of 1000 iterations. A chunk of n iterations at the position p of the loop takes each_s (1 + narrow
/// / n + rise p) times 1 +- scatter per iteration, with alternating sign.
struct Loop {
  double narrow = 0, rise = 0, scatter = 0;

  TrendSums worker(double each_s, double first, const std::vector<double>& sizes) const {
    TrendSums sums;
    double sign = 1;
    for (const double size : sizes) {
      const double p = (first + size / 2) / 1000;
      sums.add(size, p, each_s * size * (1 + narrow / size + rise * p) * (1 + scatter * sign));
      first += size;
      sign = -sign;
    }
    return sums;
  }
};

TEST(CostTrendTest, DistinguishesNarrowChunksFromARisingLoop) {
  const Loop loop{.narrow = 0.6, .rise = 1.5};
  const std::vector workers{loop.worker(0.01, 0, {3, 40, 200, 100, 20, 4}),
                            loop.worker(0.05, 300, {1, 10, 50, 25, 5, 2})};
  const CostTrend trend(workers);
  // Held by what is usual, so not quite.
  EXPECT_NEAR(trend.width().at(1) - 1, 0.6, 0.05);
  const LoopCost all = trend.rest(1000, 1000);
  EXPECT_NEAR(all.seconds({900, 100}) / all.seconds({0, 100}), 2.425 / 1.075, 0.15);
  EXPECT_NEAR(trend.base_s(workers[1]) / trend.base_s(workers[0]), 5, 0.05);
}

TEST(CostTrendTest, TheRestFollowsTheLastPart) {
  const CostTrend trend(std::vector{Loop{.rise = 1}.worker(0.01, 0, {10, 90, 300, 10, 200, 10})});
  const LoopCost all = trend.rest(1000, 1000), rest = trend.rest(250, 1000);
  EXPECT_EQ(rest.iterations(), 250);
  EXPECT_NEAR(rest.total_s(), all.seconds({750, 250}), 1e-2 * rest.total_s());
}

TEST(CostTrendTest, TrustsScatteredTimesLittle) {
  const std::vector<double> sizes{10, 100, 300, 30, 200, 5};
  const CostTrend clear(std::vector{Loop{.rise = 1}.worker(0.01, 0, sizes)});
  const CostTrend noisy(std::vector{Loop{.rise = 1, .scatter = 0.4}.worker(0.01, 0, sizes)});
  const auto rise = [](const CostTrend& trend) {
    const LoopCost all = trend.rest(1000, 1000);
    return std::abs(all.seconds({900, 100}) / all.seconds({0, 100}) - 1);
  };
  EXPECT_GT(rise(clear), 0.4);
  EXPECT_LT(rise(noisy), rise(clear));
}

TEST(CostTrendTest, OneChunkGivesTheSpeedOnly) {
  const std::vector workers{Loop{}.worker(0.01, 0, {100})};
  const CostTrend trend(workers);
  const LoopCost rest = trend.rest(900, 1000);
  EXPECT_NEAR(rest.seconds({0, 100}), rest.seconds({800, 100}), 1e-9);
  EXPECT_NEAR(trend.base_s(workers[0]), 0.01, 0.0001);
}

}  // namespace
}  // namespace loadshare::predictor
