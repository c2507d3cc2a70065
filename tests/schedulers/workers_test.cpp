#include "schedulers/workers.hpp"

#include <gtest/gtest.h>

namespace loadshare {
namespace {

TEST(RunningSum, DoesNotDrift) {
  RunningSum sum;
  sum.replace(0, 0.1);
  for (int i = 0; i < 1000; ++i) {
    sum.replace(0, 1e20);
    sum.replace(1e20, 0);
  }
  EXPECT_DOUBLE_EQ(sum.value(), 0.1);
}

TEST(Crowd, CountsPresentAndExpectedWorkers) {
  Crowd crowd(2);
  EXPECT_EQ(crowd.size(), 2);
  crowd.joined();
  EXPECT_EQ(crowd.size(), 2) << "one is expected yet";
  for (int i = 0; i < 3; ++i) crowd.joined();
  EXPECT_EQ(crowd.size(), 4) << "more came";
  for (int i = 0; i < 3; ++i) crowd.left();
  EXPECT_EQ(crowd.size(), 1);
  crowd.left();
  EXPECT_EQ(crowd.size(), 1) << "a worker is expected";
  crowd.joined();
  crowd.joined();
  EXPECT_EQ(crowd.size(), 2);
}

TEST(Shares, FollowSpeeds) {
  Shares shares(3);
  const WorkerId slow{0}, fast{1}, unknown{2};
  EXPECT_EQ(shares.of(slow, 9), 3);
  shares.set_speed(slow, 1);
  shares.set_speed(fast, 4);
  EXPECT_DOUBLE_EQ(shares.of(unknown, 9), 3);
  EXPECT_DOUBLE_EQ(shares.of(slow, 9), 1.2);
  EXPECT_DOUBLE_EQ(shares.of(fast, 9), 4.8);
  shares.left(fast);
  EXPECT_DOUBLE_EQ(shares.of(slow, 9), 4.5);
}

}  // namespace
}  // namespace loadshare
