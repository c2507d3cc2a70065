#include "models/communication/fits/robust_line.hpp"

#include <gtest/gtest.h>

namespace loadshare::communication::test {
namespace {

std::vector<Point> points(const std::vector<std::pair<double, double>>& pairs) {
  std::vector<Point> made;
  for (const auto& [size, seconds] : pairs) made.push_back({size, seconds, 0.01});
  return made;
}

TEST(RobustLine, IsNotMovedByOutliers) {
  std::vector<std::pair<double, double>> pairs;
  for (int i = 1; i <= 12; ++i) pairs.emplace_back(100.0 * i, 1e-6 + 1e-8 * i);
  pairs[3].second *= 10;
  pairs[8].second /= 10;
  const RobustLine fit = robust_line(points(pairs), 0);
  EXPECT_NEAR(fit.line.start_s, 1e-6, 1e-9);
  EXPECT_NEAR(fit.line.slope_s, 1e-10, 1e-12);
  EXPECT_NEAR(fit.line.at(550), 1.055e-6, 1e-9);
  EXPECT_NEAR(fit.loss, 2 * 51.98, 0.2);  // 2.385^2 log(1 + (ln 10 / 0.01 / 2.385)^2) each
}

TEST(RobustLine, NeitherFallsNorBeginsBelowZero) {
  const RobustLine falling = robust_line(points({{1, 5}, {2, 4}, {3, 3}}), 0);
  EXPECT_DOUBLE_EQ(falling.line.slope_s, 0);
  EXPECT_GT(falling.line.start_s, 3);
  const RobustLine steep = robust_line(points({{10, 1}, {20, 3}, {30, 5}}), 0);
  EXPECT_DOUBLE_EQ(steep.line.start_s, 0);
  EXPECT_GT(steep.line.slope_s, 0.1);
  const RobustLine allowed = robust_line(points({{10, 1}, {20, 3}, {30, 5}}), 10);
  EXPECT_NEAR(allowed.line.start_s, 1, 1e-9);
  EXPECT_NEAR(allowed.line.slope_s, 0.2, 1e-9);
}

}  // namespace
}  // namespace loadshare::communication::test
