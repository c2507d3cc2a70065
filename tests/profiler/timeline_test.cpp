#include "profiler/timeline.hpp"

#include <gtest/gtest.h>

namespace loadshare::profile {
namespace {

constexpr std::int64_t us = 1000;

TEST(LossesOf, NapsBetweenTestsAreBlocked) {
  const Lost lost = losses_of({.outside_ns = 990 * us, .inside_ns = 10 * us}, {.ran_ns = 50 * us});
  EXPECT_EQ(lost.blocked_ns, 950 * us);
  EXPECT_EQ(lost.stolen_outside_ns + lost.stolen_inside_ns, 0);
}

TEST(LossesOf, RunningInsideDoesNotHideSleepOutside) {
  const Lost lost = losses_of({.outside_ns = 300 * us, .inside_ns = 700 * us}, {.ran_ns = 705 * us});
  EXPECT_EQ(lost.blocked_ns, 295 * us);
}

TEST(LossesOf, SleepInsideIsNotBlocked) {
  const Lost lost = losses_of({.outside_ns = 100 * us, .inside_ns = 900 * us}, {.ran_ns = 0});
  EXPECT_EQ(lost.blocked_ns, 100 * us);
  EXPECT_EQ(lost.stolen_inside_ns, 0);
}

TEST(LossesOf, TheProcessorIsLostInTheLongPiece) {
  const Lost inside = losses_of({.outside_ns = 400 * us, .inside_ns = 4000 * us, .last_inside_ns = 4000 * us},
                                {.ran_ns = 1400 * us, .waited_ns = 3000 * us});
  EXPECT_EQ(inside.stolen_inside_ns, 3000 * us);
  EXPECT_EQ(inside.stolen_outside_ns, 0);
  const Lost outside =
      losses_of({.outside_ns = 3000 * us, .inside_ns = 600 * us, .last_outside_ns = 3000 * us},
                {.ran_ns = 500 * us, .waited_ns = 3100 * us});
  EXPECT_EQ(outside.stolen_outside_ns, 3000 * us);
  EXPECT_EQ(outside.stolen_inside_ns, 100 * us);
}

TEST(LossesOf, TheProcessorIsLostInAllShortPieces) {
  const Lost lost =
      losses_of({.outside_ns = 600 * us, .inside_ns = 400 * us}, {.ran_ns = 500 * us, .waited_ns = 500 * us});
  EXPECT_EQ(lost.stolen_outside_ns, 300 * us);
  EXPECT_EQ(lost.stolen_inside_ns, 200 * us);
  EXPECT_EQ(lost.blocked_ns, 0);
}

/// The two clocks differ by nanoseconds, and a thread that changed its processor may have waited for longer.
TEST(LossesOf, NeverExceedsTheTotal) {
  for (const std::int64_t ran_ns : {std::int64_t{0}, 500 * us, 5000 * us})
    for (const std::int64_t waited_ns : {-us, std::int64_t{0}, 400 * us, 9000 * us})
      for (const std::int64_t outside_ns : {std::int64_t{0}, 300 * us, 1000 * us}) {
        const Lost lost = losses_of({.outside_ns = outside_ns,
                                     .inside_ns = 1000 * us - outside_ns,
                                     .last_outside_ns = outside_ns > 500 * us ? outside_ns : 0},
                                    {ran_ns, waited_ns});
        EXPECT_GE(lost.blocked_ns, 0);
        EXPECT_GE(lost.stolen_outside_ns, 0);
        EXPECT_GE(lost.stolen_inside_ns, 0);
        EXPECT_LE(lost.blocked_ns + lost.stolen_outside_ns, outside_ns);
        EXPECT_LE(lost.stolen_inside_ns, 1000 * us - outside_ns);
      }
  EXPECT_EQ(losses_of({}, {.ran_ns = us, .waited_ns = us}).stolen_inside_ns, 0);
}

}  // namespace
}  // namespace loadshare::profile
