#include "models/communication/fits/points.hpp"

#include <gtest/gtest.h>

namespace loadshare::communication::test {
namespace {

TEST(Points, AreMediansInTheOrderOfSizes) {
  const std::vector<Sample> samples{{20, 5}, {10, 3}, {10, 1}, {20, 7}, {10, 100}};
  const auto points = points_of(samples, 100);
  ASSERT_EQ(points.size(), 2U);
  EXPECT_DOUBLE_EQ(points[0].size, 10);
  EXPECT_DOUBLE_EQ(points[0].seconds, 3);
  EXPECT_DOUBLE_EQ(points[1].seconds, 6);
  EXPECT_DOUBLE_EQ(points[1].noise, 0.05);  // two sizes cannot tell
}

TEST(Points, PutNeighboursTogetherWhereThereAreTooMany) {
  std::vector<Sample> samples;
  for (int i = 0; i < 10; ++i) samples.push_back({double(i), 1.0 + i});
  const auto points = points_of(samples, 4);
  ASSERT_EQ(points.size(), 4U);
  EXPECT_DOUBLE_EQ(points[0].size, 1);
  EXPECT_DOUBLE_EQ(points[3].seconds, 10);
}

TEST(Points, TellTheirNoise) {
  std::vector<Sample> line, zigzag;
  for (int i = 1; i <= 20; ++i) {
    line.push_back({100.0 * i, 1e-6 * i});
    zigzag.push_back({100.0 * i, 1e-3 * (i % 2 == 0 ? 1.02 : 1)});
  }
  for (const Point& point : points_of(line, 100)) EXPECT_DOUBLE_EQ(point.noise, 0.005);
  // Each is 2 % off its neighbours, of which the deviation of one point is 1 / sqrt(1 + 1/4 + 1/4).
  for (const Point& point : points_of(zigzag, 100))
    EXPECT_NEAR(point.noise, 1.4826 * 0.0198026 / 1.2247449, 1e-6);
}

TEST(Points, AFewOutliersCloseTogetherDoNotCountAsNoise) {
  std::vector<Sample> samples;
  for (int i = 1; i <= 40; ++i) {
    const double factor = i == 18 || i == 20 || i == 23 || i == 26 ? 10 : 1;
    samples.push_back({100.0 * i, factor * 1e-3 * (i % 2 == 0 ? 1.02 : 1)});
  }
  for (const Point& point : points_of(samples, 100)) EXPECT_LT(point.noise, 0.08);
}

}  // namespace
}  // namespace loadshare::communication::test
