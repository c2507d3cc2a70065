#include "models/messages/fits/points.hpp"

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

TEST(Points, JoinNeighboursIfThereAreTooMany) {
  std::vector<Sample> samples;
  for (int i = 0; i < 10; ++i) samples.push_back({double(i), 1.0 + i});
  const auto points = points_of(samples, 4);
  ASSERT_EQ(points.size(), 4U);
  EXPECT_DOUBLE_EQ(points[0].size, 1);
  EXPECT_DOUBLE_EQ(points[3].seconds, 10);
}

TEST(Points, HaveTheirNoise) {
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

TEST(Launches, OneLaunchIsUnchanged) {
  const std::vector<Sample> samples{{20, 5, 3}, {10, 1, 3}, {10, 7, 3}};
  const auto level = level_launches(samples);
  ASSERT_EQ(level.size(), 3U);
  EXPECT_DOUBLE_EQ(level[2].seconds, 7);
}

TEST(Launches, MeetInTheMiddleWhateverTheirNumberOfSamples) {
  std::vector<Sample> samples(50, {10, 8, 0});
  for (const Sample& one : {Sample{20, 8, 0}, {10, 4, 1}, {20, 4, 1}, {10, 2, 2}, {20, 2, 2}})
    samples.push_back(one);
  const auto level = level_launches(samples);
  ASSERT_EQ(level.size(), 6U);
  for (const Sample& one : level) EXPECT_NEAR(one.seconds, 4, 1e-12);
}

TEST(Launches, OtherSizesAreComparedByInterpolation) {
  std::vector<Sample> samples;
  for (int i = 0; i < 20; ++i) {
    samples.push_back({10.0 * i, 1.0 + i, 0});
    samples.push_back({10.0 * i + 5, 4 * (1.5 + i), 1});
  }
  for (const Sample& one : level_launches(samples))
    EXPECT_NEAR(one.seconds, 2 * (1 + one.size / 10), 1e-9) << one.size;  // of 1 and 4 the geometric middle
}

TEST(Launches, KeepTheirJumps) {
  std::vector<Sample> samples;
  for (int i = 0; i < 20; ++i) {
    samples.push_back({10.0 * i, i < 10 ? 1.0 : 100.0, 0});
    samples.push_back({10.0 * i + 5, i < 9 ? 1.0 : 100.0, 1});
  }
  for (const Sample& one : level_launches(samples))
    EXPECT_NEAR(one.seconds, one.size < 95 ? 1 : 100, 1e-9) << one.size;
}

}  // namespace
}  // namespace loadshare::communication::test
