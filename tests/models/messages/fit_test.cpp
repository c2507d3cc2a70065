#include "models/messages/fit.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/models/messages/made_samples.hpp"

namespace loadshare::communication::test {
namespace {

std::string refusal(const std::vector<Sample>& samples) {
  return error_of([&] { require_fittable(samples); });
}

TEST(Fit, HasATable) {
  ASSERT_EQ(fits().size(), 2U);
  EXPECT_STREQ(fits().front().name, "segmented");
  EXPECT_STREQ(find_fit("least-squares").name, "least-squares");
  EXPECT_STREQ(find_fit("seed").name, "least-squares");  // as it was called
  EXPECT_EQ(error_of([] { find_fit("least-square"); }),
            "unknown --fit 'least-square' (valid: segmented, least-squares); did you mean 'least-squares'?");
}

TEST(Fit, RefusesSamplesWithoutALine) {
  EXPECT_EQ(refusal({{1, 1}, {2, 2}}),
            "too few points: 2 (a line needs 3 to show its error); measure more of them");
  EXPECT_EQ(refusal({{8, 1}, {8, 2}, {8, 3}}),
            "all 3 points are of size 8 (a line needs at least two sizes); measure other sizes too");
  EXPECT_EQ(refusal({{1, 1}, {2, 0}, {3, 3}}),
            "the time at size 2 is 0 s (times are finite and more than 0)");
  EXPECT_EQ(refusal({{1, 1}, {2, -1}, {3, 3}}),
            "the time at size 2 is -1 s (times are finite and more than 0)");
  EXPECT_EQ(refusal({{1, 1}, {-2, 1}, {3, 3}}), "a size is -2 (sizes are finite and not negative)");
  EXPECT_EQ(refusal({{1, 1}, {2, std::numeric_limits<double>::infinity()}, {3, 3}}),
            "the time at size 2 is inf s (times are finite and more than 0)");
  EXPECT_EQ(refusal({{std::nan(""), 1}}), "a size is nan (sizes are finite and not negative)");
}

TEST(Fit, EachKindReproducesALineWithoutNoise) {
  std::vector<Sample> samples;
  for (const double size : {0.0, 100.0, 200.0, 500.0}) samples.push_back({size, 2e-6 + 3e-9 * size});
  for (const FitInfo& info : fits()) {
    SCOPED_TRACE(info.name);
    const Curve curve = fit_curve(info.name, samples);
    ASSERT_EQ(curve.segments().size(), 1U);
    EXPECT_NEAR(curve.segments()[0].c_s, 3e-9, 3e-18);
    EXPECT_NEAR(curve.segments()[0].k_s, 2e-6, 2e-15);
    EXPECT_DOUBLE_EQ(curve.first_size(), 0);
    EXPECT_DOUBLE_EQ(curve.last_size(), 500);
  }
}

TEST(Band, ConsistsOfOrderStatistics) {
  std::vector<double> ratios;
  for (int i = 19; i >= 1; --i) ratios.push_back(i);
  const Band least = band_of(ratios);  // the 1st and the 19th of 19
  EXPECT_DOUBLE_EQ(least.low, 1);
  EXPECT_DOUBLE_EQ(least.high, 19);
  for (int i = 20; i <= 99; ++i) ratios.push_back(i);
  const Band more = band_of(ratios);  // the 5th and the 95th of 99
  EXPECT_DOUBLE_EQ(more.low, 5);
  EXPECT_DOUBLE_EQ(more.high, 95);
}

TEST(Band, IsWiderThanFewSamples) {
  // Logarithms -d, d, -d, d: 2 degrees of freedom, t = 2.920, s^2 = 4 d^2 / 2, times 1 + 2 / 4.
  const double d = 0.01;
  const Band band = band_of({std::exp(-d), std::exp(d), std::exp(-d), std::exp(d)});
  EXPECT_NEAR(band.high, std::exp(2.920 * std::sqrt(2 * d * d * 1.5)), 1e-12);
  EXPECT_NEAR(band.low * band.high, 1, 1e-12);
}

TEST(Band, ContainsTheNextLaunch) {
  // Medians 0.95, 1, 1.05: 2 degrees of freedom, t = 2.920, times 1 + 1 / 3; no scatter within a launch.
  const LaunchRatios launches{{0, {0.95, 0.95, 0.95}}, {1, {1, 1, 1}}, {2, {1.05, 1.05, 1.05}}};
  const double squares = std::pow(std::log(0.95), 2) + std::pow(std::log(1.05), 2);
  const double width = 2.920 * std::sqrt(squares / 2 * 4 / 3);
  EXPECT_NEAR(band_of_launches(launches).high, std::exp(width), 1e-12);
  EXPECT_NEAR(band_of_launches(launches).low, std::exp(-width), 1e-12);
}

TEST(Band, IsTheSameForEqualLaunches) {
  std::vector<double> ratios;
  for (int i = -30; i <= 30; ++i) ratios.push_back(std::exp(0.01 * i));
  const Band one = band_of_launches(LaunchRatios{{4, ratios}});
  EXPECT_DOUBLE_EQ(one.high, band_of(ratios).high);
  EXPECT_NEAR(band_of_launches(LaunchRatios{{0, ratios}, {1, ratios}}).high, one.high, 0.01);
  EXPECT_DOUBLE_EQ(band_of_launches(LaunchRatios{{0, {-1}}, {1, {1, 1, 1}}}).high,
                   1);  // the first launch gives no information
}

TEST(Band, IgnoresNonPositiveTimes) {
  EXPECT_DOUBLE_EQ(band_of({-1, 0}).low, 1);
  EXPECT_DOUBLE_EQ(band_of({-5, 1, 1, 1}).high, 1);
}

}  // namespace
}  // namespace loadshare::communication::test
