#include "models/messages/curve.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace loadshare::communication::test {
namespace {

Curve two_lines() {
  return Curve({{10, 90, 1, 5, 0.9, 1.2}, {100, 1000, 2, 0, 0.8, 1.5}});
}

TEST(Curve, BelongsToTheLastSegmentThatHasBegun) {
  const Curve curve = two_lines();
  EXPECT_DOUBLE_EQ(curve.seconds(10), 15);
  EXPECT_DOUBLE_EQ(curve.seconds(99), 104);
  EXPECT_DOUBLE_EQ(curve.seconds(100), 200);
  EXPECT_DOUBLE_EQ(curve.seconds(0), 5);
  EXPECT_DOUBLE_EQ(curve.seconds(2000), 4000);
}

TEST(Curve, HasAnIntervalAndMarksExtrapolation) {
  const Estimate within = two_lines().at(100);
  EXPECT_DOUBLE_EQ(within.low_s, 160);
  EXPECT_DOUBLE_EQ(within.high_s, 300);
  EXPECT_FALSE(within.is_extrapolated);
  EXPECT_FALSE(two_lines().at(1000).is_extrapolated);
  EXPECT_TRUE(two_lines().at(1001).is_extrapolated);
  EXPECT_TRUE(two_lines().at(9).is_extrapolated);
}

TEST(Curve, HasNoIntervalBeyondTheMeasurements) {
  for (const double size : {9.0, 1001.0}) {
    const Estimate beyond = two_lines().at(size);
    EXPECT_DOUBLE_EQ(beyond.low_s, 0);
    EXPECT_EQ(beyond.high_s, std::numeric_limits<double>::infinity());
  }
}

TEST(Curve, UsesSegmentsBelowTheMeasuredSizes) {
  const Curve curve({{0, 5, 1, 0, 1, 1}, {5, 100, 2, -5, 1, 1}}, 20);
  EXPECT_DOUBLE_EQ(curve.first_size(), 20);
  EXPECT_TRUE(curve.at(19).is_extrapolated);
  EXPECT_DOUBLE_EQ(curve.seconds(4), 4);
  EXPECT_DOUBLE_EQ(curve.seconds(19), 33);
}

TEST(Curve, ReportsTheScatterOfTimes) {
  const Curve curve({{1, 100, 1e-9, 1e-6, std::exp(-0.329), std::exp(0.329)}});
  EXPECT_NEAR(curve.at(50).deviation(), 0.2, 1e-9) << "nine of ten lie within 1.645 deviations";
  EXPECT_EQ(curve.at(101).deviation(), 0) << "of which nothing is known";
  EXPECT_EQ((Estimate{1, 0, std::numeric_limits<double>::infinity(), false}).deviation(), 0);
}

TEST(Curve, ReportsNegativeSizes) {
  EXPECT_FALSE(two_lines().negative_below());
  EXPECT_FALSE(two_lines().negative_above());
  EXPECT_DOUBLE_EQ(*Curve({{10, 90, 2, -8, 1, 1}}).negative_below(), 4);
  EXPECT_DOUBLE_EQ(*Curve({{10, 90, -1, 200, 1, 1}}).negative_above(), 200);
}

}  // namespace
}  // namespace loadshare::communication::test
