#include "models/messages/message_costs.hpp"

#include <gtest/gtest.h>

namespace loadshare::communication {
namespace {

constexpr auto before = ReceivePosted::before;
constexpr auto after = ReceivePosted::after;

// A second a message, a second for 10 bytes, 100 bytes the first that wait.
const LinearCosts costs({1, 10, 100});

TEST(LinearCosts, LongSendsWait) {
  EXPECT_FALSE(costs.waits_for_receive(SendMode::standard, 99));
  EXPECT_TRUE(costs.waits_for_receive(SendMode::standard, 100));
  EXPECT_TRUE(costs.waits_for_receive(SendMode::ready, 100));
  EXPECT_TRUE(costs.waits_for_receive(SendMode::synchronous, 0));
  EXPECT_FALSE(costs.waits_for_receive(SendMode::buffered, 1e9));
}

TEST(LinearCosts, ReceivesPostedBeforeHaveTheirCosts) {
  EXPECT_EQ(costs.sender_s(SendMode::standard, before, 20), 2);
  EXPECT_EQ(costs.sender_s(SendMode::synchronous, before, 20), 2);
  EXPECT_EQ(costs.sender_s(SendMode::buffered, before, 20), 0);
  EXPECT_EQ(costs.receiver_s(SendMode::standard, before, 20), 3);
}

TEST(LinearCosts, ReceivesPostedAfterHaveTheirCosts) {
  EXPECT_EQ(costs.sender_s(SendMode::standard, after, 20), 2);
  EXPECT_EQ(costs.receiver_s(SendMode::standard, after, 20), 0);
  EXPECT_EQ(costs.sender_s(SendMode::standard, after, 100), 11);
  EXPECT_EQ(costs.receiver_s(SendMode::standard, after, 100), 12);
  EXPECT_EQ(costs.receiver_s(SendMode::synchronous, after, 20), 4);
}

TEST(LinearCosts, PortsTakeTheGap) {
  EXPECT_EQ(costs.port_s(20), 2);
}

}  // namespace
}  // namespace loadshare::communication
