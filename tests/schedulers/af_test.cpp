#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/schedulers/played.hpp"

namespace loadshare::test {
namespace {

// Chunks of 50: 0.02 and 0.028 s an iteration make mu = 0.024, sigma^2 = 50 (0.004^2 + 0.004^2) / 1 = 0.0016;
// 0.06 and 0.07 s make mu = 0.065, sigma^2 = 0.0025. With deviations in place of variances the sizes would be
// others.
void play(const char* spec, void (*give_back)(Played&, std::uint32_t, Index, double)) {
  Played loop(spec, {1000, 2});
  EXPECT_EQ(loop.ask(0), 50);
  EXPECT_EQ(loop.ask(1), 50);
  give_back(loop, 0, 50, 1.0);
  EXPECT_EQ(loop.ask(0), 50) << "one chunk has no variance";
  give_back(loop, 1, 50, 3.0);
  EXPECT_EQ(loop.ask(1), 50);
  give_back(loop, 0, 50, 1.4);
  // The other counts as equal: D = 2 0.0016 / 0.024, T = 0.024 / 2, T R = 9.6, (19.3333 - 2.2667) / 0.048.
  EXPECT_EQ(loop.ask(0), 356);
  give_back(loop, 1, 50, 3.5);
  // D = 0.0666667 + 0.0384615, T = 1 / (41.6667 + 15.3846), R = 444: (15.6701 - 1.8121) / 0.13 = 106.6.
  EXPECT_EQ(loop.ask(1), 107);
  give_back(loop, 0, 356, 7.12);
  // mu = 9.52 / 456, sigma^2 = (50 0.000877^2 + 50 0.007123^2 + 356 0.000877^2) / 2 = 0.0014246: 221.4.
  EXPECT_EQ(loop.ask(0), 222);
}

TEST(Af, FollowsMeanAndVarianceOfComputing) {
  play("af:50", [](Played& loop, std::uint32_t worker, Index size, double seconds) {
    loop.give_back(worker, size, 3 * seconds + 1, seconds);
  });
}

TEST(Maf, FollowsMeanAndVarianceOfWholeChunks) {
  play("maf:50", [](Played& loop, std::uint32_t worker, Index size, double seconds) {
    loop.give_back(worker, size, seconds, 0.5);
  });
}

TEST(Af, BeginsWithATenthOfAShare) {
  EXPECT_EQ(Played("af", {1000, 2}).ask(0), 50);
  EXPECT_EQ(Played("af", {19, 2}).ask(0), 1);
  EXPECT_EQ(Played("af:min=60", {1000, 2}).ask(0), 60);
  EXPECT_EQ(Played("af:500", {10, 2}).ask(0), 5) << "no more than a fair share";
}

TEST(Af, WithoutVarianceAllIterationsAreDividedBySpeed) {
  Played loop("af:100", {1000, 2});
  for (int i = 0; i < 2; ++i) {
    for (const std::uint32_t worker : {0u, 1u}) loop.ask(worker);
    loop.give_back(0, 100, 1.0);
    loop.give_back(1, 100, 3.0);
  }
  EXPECT_EQ(loop.ask(0), 450) << "three quarters of 600";
}

TEST(Af, AWorkerThatLeftNoLongerCounts) {
  Played loop("af:100", {1000, 2});
  for (const std::uint32_t worker : {0u, 1u}) {
    loop.scheduler().joined(WorkerId{worker}, {});
    for (int i = 0; i < 2; ++i) loop.give_back(worker, 100, 1.0 + worker);
  }
  loop.scheduler().left(WorkerId{1});
  EXPECT_EQ(loop.ask(0), 1000);
}

TEST(Af, IgnoresImpossibleTimes) {
  Played loop("af:50", {1000, 2});
  for (const double seconds : {0.0, -1.0, std::numeric_limits<double>::infinity(), std::nan("")})
    loop.give_back(0, 50, seconds);
  EXPECT_EQ(loop.ask(0), 50);
}

}  // namespace
}  // namespace loadshare::test
