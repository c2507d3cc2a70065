#include <gtest/gtest.h>

#include "tests/schedulers/sequence.hpp"

namespace loadshare::test {
namespace {

// mu = 0.08, sigma = 0.05, alpha = 2: v = 1.25. With 300 iterations: T = 100, 100 + 0.78125 - 1.25
// sqrt(200.390625) = 83.09; of the 216 that remain: T = 72, 72.78125 - 1.25 sqrt(144.390625) = 57.76.
TEST(Tap, IsAShareLessItsMargin) {
  EXPECT_EQ(sequence("tap:mu=0.08,sigma=0.05,alpha=2", {300, 3}),
            read_sizes("84 58 41 29 21 15 11 8 6 5 4 3 2 2 1x11"));
  EXPECT_EQ(sequence("tap:mu=0.08,sigma=0.05,alpha=2,round=down", {300, 3}).front(), 83);
}

TEST(Tap, WithoutDeviationIsGss) {
  EXPECT_EQ(sequence("tap:mu=3,sigma=0", {1000, 4}), sequence("gss:round=up", {1000, 4}));
}

TEST(Tap, NeverGoesBelowMin) {
  EXPECT_EQ(sequence("tap:mu=1,sigma=1e6,min=4", {10, 4}), (Sizes{4, 4, 2}));
}

TEST(Tap, AMissingParameterIsNamed) {
  EXPECT_EQ(
      error_of("tap:mu=1"),
      "scheduler tap: sigma is missing (no earlier run of this loop has measured it); give the standard "
      "deviation of an iteration's time, in seconds: sigma=0.001");
}

}  // namespace
}  // namespace loadshare::test
