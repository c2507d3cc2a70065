#include "apps/loadshare/timing.hpp"

#include <gtest/gtest.h>

namespace loadshare::tool {
namespace {

using communication::ReceivePosted;
using communication::SendMode;

// Two messages of 0.99 us and a look at the clock: from a look here to one over there 1.01 us.
constexpr Distance distance{2e-6, 0.02e-6, 0.02e-6};
constexpr double exact = 1e-15;

Visit of(SendMode mode, ReceivePosted posted) {
  return {.mode = mode, .posted = posted, .bytes = 64};
}

TEST(Timing, PostedBefore) {
  const Visit visit = of(SendMode::standard, ReceivePosted::before);
  const auto timing = timing_of(visit, {9e-6, 0.5e-6}, {0, 3e-6}, distance);
  EXPECT_NEAR(timing.sender_s, 0.48e-6, exact);
  EXPECT_NEAR(timing.receiver_s, 3e-6 - 1.01e-6 - 0.02e-6, exact) << "less the way of `go`";
  EXPECT_FALSE(timing.has_waited);
}

TEST(Timing, PostedAfterWithoutWaiting) {
  const Visit visit = of(SendMode::standard, ReceivePosted::after);
  const auto timing = timing_of(visit, {0.3e-6, 0.5e-6}, {7e-6, 0.9e-6}, distance);
  EXPECT_NEAR(timing.sender_s, 0.48e-6, exact);
  EXPECT_NEAR(timing.receiver_s, 0.88e-6, exact);
  EXPECT_FALSE(timing.has_waited);
}

TEST(Timing, PostedAfterAndWaitedFor) {
  const Visit visit = of(SendMode::synchronous, ReceivePosted::after);
  // Announced at 0, begun at 0.3, there at 1.01, posted at 8.01, so 7.71 after the send began.
  const auto timing = timing_of(visit, {0.3e-6, 10e-6}, {7e-6, 0.9e-6}, distance);
  EXPECT_TRUE(timing.has_waited);
  EXPECT_NEAR(timing.sender_s, 10e-6 - 7.71e-6 - 0.02e-6, exact);
}

TEST(Timing, EachSideHasItsOwnClock) {
  const Distance slow_receiver{2e-6, 0.02e-6,
                               0.7e-6};  // messages of 0.99, and half a look at either end: 1.35
  const auto before =
      timing_of(of(SendMode::standard, ReceivePosted::before), {9e-6, 0.5e-6}, {0, 4e-6}, slow_receiver);
  EXPECT_NEAR(before.sender_s, 0.48e-6, exact);
  EXPECT_NEAR(before.receiver_s, 4e-6 - 1.35e-6 - 0.7e-6, exact);
  const auto after = timing_of(of(SendMode::standard, ReceivePosted::after), {0.3e-6, 0.5e-6}, {7e-6, 1.1e-6},
                               slow_receiver);
  EXPECT_NEAR(after.sender_s, 0.48e-6, exact);
  EXPECT_NEAR(after.receiver_s, 0.4e-6, exact);
}

TEST(Timing, AReceiveThatWasPostedBeforeTheSendBeganIsNotPostedAfter) {
  const Visit after = of(SendMode::standard, ReceivePosted::after);
  EXPECT_TRUE(is_as_asked(after, {8e-6, 0.5e-6}, {7e-6, 0.9e-6}, distance)) << "posted at 8.01";
  EXPECT_FALSE(is_as_asked(after, {20e-6, 0.5e-6}, {7e-6, 0.9e-6}, distance));
  EXPECT_TRUE(
      is_as_asked(of(SendMode::standard, ReceivePosted::before), {20e-6, 0.5e-6}, {0, 3e-6}, distance));
}

TEST(Timing, ABufferedSendThatCopiesForLongDoesNotWait) {
  const Visit visit = of(SendMode::buffered, ReceivePosted::after);
  const auto timing = timing_of(visit, {0.3e-6, 10e-6}, {7e-6, 0.9e-6}, distance);
  EXPECT_FALSE(timing.has_waited);
  EXPECT_NEAR(timing.sender_s, 9.98e-6, exact);
}

TEST(Timing, IsNeverNothing) {
  const auto timing =
      timing_of(of(SendMode::ready, ReceivePosted::before), {0, 0.01e-6}, {0, 0.5e-6}, distance);
  EXPECT_EQ(timing.sender_s, 1e-9);
  EXPECT_EQ(timing.receiver_s, 1e-9);
}

TEST(Timing, AClockCostsLittle) {
  EXPECT_GT(measure_clock_s(), 0);
  EXPECT_LT(measure_clock_s(), 1e-4);
}

}  // namespace
}  // namespace loadshare::tool
