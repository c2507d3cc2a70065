#include "models/farm/loop_cost.hpp"

#include <gmock/gmock.h>

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

TEST(LoopCostTest, OfNothingIsNothing) {
  EXPECT_EQ(LoopCost::uniform(0, 1).total_s(), 0);
  EXPECT_EQ(LoopCost::profile({}).total_s(), 0);
}

TEST(LoopCostTest, RefusesWhatCannotBe) {
  EXPECT_THAT(error_of([] { LoopCost::uniform(-1, 1); }), HasSubstr("a loop of -1 iterations"));
  EXPECT_THAT(error_of([] { LoopCost::uniform(1, -1); }), HasSubstr("a cost is 0 or more"));
  EXPECT_THAT(error_of([] {
                LoopCost::profile({{1, std::numeric_limits<double>::quiet_NaN()}});
              }),
              HasSubstr("a cost is 0 or more"));
  EXPECT_THAT(error_of([] { LoopCost::profile({{0, 1}}); }), HasSubstr("at least 1"));
  EXPECT_THAT(error_of([] { WidthFactor({{1, 0}}); }), HasSubstr("a factor is more than 0"));
}

TEST(WidthFactorTest, GoesStraightOverLogarithms) {
  const WidthFactor factor({{1, 2}, {4, 1.5}, {64, 1}});
  EXPECT_DOUBLE_EQ(factor.at(1), 2);
  EXPECT_DOUBLE_EQ(factor.at(2), 1.75);
  EXPECT_DOUBLE_EQ(factor.at(16), 1.25);
  EXPECT_DOUBLE_EQ(factor.at(1000), 1);
  EXPECT_DOUBLE_EQ(WidthFactor().at(7), 1);
}

}  // namespace
}  // namespace loadshare::predictor
