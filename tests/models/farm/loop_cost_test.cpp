#include "models/farm/loop_cost.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "tests/error_of.hpp"

namespace loadshare::predictor {
namespace {

using testing::HasSubstr;

TEST(LoopCostTest, IsTheSameForEveryIteration) {
  const LoopCost cost = LoopCost::uniform(1'000'000'000, 2e-6);
  EXPECT_DOUBLE_EQ(cost.seconds({999'999'000, 1000}), 2e-3);
  EXPECT_DOUBLE_EQ(cost.total_s(), 2000);
}

TEST(LoopCostTest, FollowsAProfile) {
  const LoopCost cost = LoopCost::profile({{10, 1}, {10, 3}, {5, 0}});
  EXPECT_EQ(cost.iterations(), 25);
  EXPECT_DOUBLE_EQ(cost.seconds({0, 25}), 4);
  EXPECT_DOUBLE_EQ(cost.seconds({5, 10}), 0.5 + 1.5);
  EXPECT_DOUBLE_EQ(cost.seconds({20, 5}), 0);
}

TEST(LoopCostTest, IsZeroWithoutIterations) {
  EXPECT_EQ(LoopCost::uniform(0, 1).total_s(), 0);
  EXPECT_EQ(LoopCost::profile({}).total_s(), 0);
}

TEST(LoopCostTest, RefusesInvalidCosts) {
  EXPECT_THAT(error_of([] { LoopCost::uniform(-1, 1); }), HasSubstr("a loop of -1 iterations"));
  EXPECT_THAT(error_of([] { LoopCost::uniform(1, -1); }), HasSubstr("a cost must be 0 or more"));
  EXPECT_THAT(error_of([] {
                LoopCost::profile({{1, std::numeric_limits<double>::quiet_NaN()}});
              }),
              HasSubstr("a cost must be 0 or more"));
  EXPECT_THAT(error_of([] { LoopCost::profile({{0, 1}}); }), HasSubstr("at least 1"));
}

TEST(LoopCostTest, VariesAsItsProfileDoes) {
  EXPECT_EQ(LoopCost::uniform(9, 1).variation(), 0);
  EXPECT_DOUBLE_EQ(LoopCost::profile({{10, 5}, {10, 15}}).variation(), 0.5);
}

TEST(LoopCostTest, HasARest) {
  const LoopCost rest = LoopCost::profile({{10, 1}, {10, 3}}).from(15);
  EXPECT_EQ(rest.iterations(), 5);
  EXPECT_DOUBLE_EQ(rest.total_s(), 1.5);
  EXPECT_DOUBLE_EQ(LoopCost::uniform(20, 0.1).from(15).total_s(), 0.5);
}

TEST(LoopCostTest, StretchesToAnotherNumberOfIterations) {
  const LoopCost longer = LoopCost::profile({{10, 1}, {10, 3}}).stretched(50);
  EXPECT_EQ(longer.iterations(), 50);
  EXPECT_DOUBLE_EQ(longer.seconds({0, 25}), 2.5);
  EXPECT_DOUBLE_EQ(longer.total_s(), 10);
  const LoopCost shorter = LoopCost::profile({{1, 1}, {1, 3}, {1, 2}}).stretched(2);
  EXPECT_EQ(shorter.iterations(), 2);
  EXPECT_DOUBLE_EQ(shorter.total_s(), 4);
  EXPECT_DOUBLE_EQ(LoopCost::uniform(20, 0.1).stretched(5).total_s(), 0.5);
}

TEST(WidthFactorTest, AppliesToAChunksBeginning) {
  const WidthFactor factor{0.5};
  EXPECT_DOUBLE_EQ(factor.at(1), 1.5);
  EXPECT_DOUBLE_EQ(factor.at(5), 1.1);
  EXPECT_DOUBLE_EQ(factor.least(), 1);
  EXPECT_DOUBLE_EQ(WidthFactor{-0.2}.least(), 0.8);
  EXPECT_DOUBLE_EQ(WidthFactor().at(7), 1);
}

TEST(ChunkScatterTest, IsZeroForKnownCosts) {
  const ChunkScatter scatter{0.01, 0.16, 8};
  EXPECT_DOUBLE_EQ(scatter.deviation(8), 0.1);
  EXPECT_DOUBLE_EQ(scatter.deviation(80), 0.1);
  EXPECT_DOUBLE_EQ(scatter.deviation(1), std::sqrt(0.01 + 0.16 * 7 / 8));
}

}  // namespace
}  // namespace loadshare::predictor
