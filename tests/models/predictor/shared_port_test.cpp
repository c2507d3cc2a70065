#include "models/predictor/shared_port.hpp"

#include <gmock/gmock.h>

#include <cmath>

namespace loadshare::predictor {
namespace {

Event message(std::uint32_t worker) {
  return {0, worker, Event::Kind::order_here, 0};
}

void expect_next(SharedPort& port, std::uint32_t worker, double at_s) {
  EXPECT_DOUBLE_EQ(port.next_s(), at_s);
  const Event event = port.pop();
  EXPECT_EQ(event.worker, worker);
  EXPECT_DOUBLE_EQ(event.at_s, at_s);
}

TEST(SharedPortTest, IsAllOfOneMessage) {
  SharedPort port;
  EXPECT_TRUE(std::isinf(port.next_s()));
  port.enter(2, 0.5, message(1));
  expect_next(port, 1, 2.5);
  EXPECT_TRUE(std::isinf(port.next_s()));
  port.enter(7, 0.25, message(2));
  expect_next(port, 2, 7.25);
}

// 1 s and 2 s of work: both at half the rate until the short one has passed at 2, the rest at the whole.
TEST(SharedPortTest, IsHalvedByTwo) {
  SharedPort port;
  port.enter(0, 2, message(1));
  port.enter(0, 1, message(2));
  expect_next(port, 2, 2);
  expect_next(port, 1, 3);
}

// From 1 on, 3 s are left of the first, which has a half from then, a third from 2 to 5.
TEST(SharedPortTest, LetsLatersIn) {
  SharedPort port;
  port.enter(0, 4, message(1));
  port.enter(1, 3, message(2));
  port.enter(2, 1, message(3));
  expect_next(port, 3, 5);
  expect_next(port, 1, 8);
  expect_next(port, 2, 8);
}

TEST(SharedPortTest, LetsEmptyMessagesPass) {
  SharedPort port;
  port.enter(0, 1, message(1));
  port.enter(0.5, 0, message(2));
  expect_next(port, 2, 0.5);
  expect_next(port, 1, 1);
}

// Its burst of 2 s is all there at first; then a silence of half a second gives as much back.
TEST(SharedPortTest, MakesUpForSilence) {
  SharedPort port(2);
  port.enter(0, 1, message(1));
  expect_next(port, 1, 0);
  port.enter(0, 3, message(2));  // 1 s is left, 2 s remain
  expect_next(port, 2, 2);
  port.enter(2.5, 1, message(3));
  expect_next(port, 3, 3);
  port.enter(10, 1.5, message(4));  // no more than the burst
  expect_next(port, 4, 10);
  port.enter(10, 1, message(5));
  expect_next(port, 5, 10.5);
}

}  // namespace
}  // namespace loadshare::predictor
