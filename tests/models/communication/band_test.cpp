#include "models/communication/band.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace loadshare::communication::test {
namespace {

TEST(Band, IsOfOrderStatistics) {
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

TEST(Band, OfFewIsWiderThanTheyAre) {
  // Logarithms -d, d, -d, d: 2 degrees of freedom, t = 2.920, s^2 = 4 d^2 / 2, times 1 + 2 / 4.
  const double d = 0.01;
  const Band band = band_of({std::exp(-d), std::exp(d), std::exp(-d), std::exp(d)});
  EXPECT_NEAR(band.high, std::exp(2.920 * std::sqrt(2 * d * d * 1.5)), 1e-12);
  EXPECT_NEAR(band.low * band.high, 1, 1e-12);
}

TEST(Band, PassesOverWhatIsNotPositive) {
  EXPECT_DOUBLE_EQ(band_of({-1, 0}).low, 1);
  EXPECT_DOUBLE_EQ(band_of({-5, 1, 1, 1}).high, 1);
}

}  // namespace
}  // namespace loadshare::communication::test
