#include "models/farm/farm_network.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "models/messages/message_costs.hpp"

namespace loadshare::predictor {
namespace {

// A latency of 1 s, 100 bytes a second, and 500 bytes and more ask first.
const communication::LinearCosts wire({1, 100, 500});

void expect_price(const Price& price, double lead_s, double port_s, double transfer_s) {
  EXPECT_DOUBLE_EQ(price.lead_s, lead_s);
  EXPECT_DOUBLE_EQ(price.port_s, port_s);
  EXPECT_DOUBLE_EQ(price.transfer_s, transfer_s);
}

TEST(PricedLinkTest, SendsShortMessagesUnasked) {
  expect_price(PricedLink(wire, 50, 10).price(5, 0.25), 0, 1, 2);
}

// The header comes and is seen; then latency, answer and data take 1 + 1 + 6 s.
TEST(PricedLinkTest, AsksBeforeLongMessages) {
  expect_price(PricedLink(wire, 50, 10).price(60, 0.25), 1.5 + 0.25, 6.5, 8);
}

TEST(PricedLinkTest, PricesEachSizeAnew) {
  PricedLink link(wire, 50, 10);
  expect_price(link.price(5, 0.25), 0, 1, 2);
  expect_price(link.price(15, 0.25), 0, 2, 3);
  expect_price(link.price(5, 0.25), 0, 1, 2);
  expect_price(link.price(60, 0.25), 1.75, 6.5, 8);
  expect_price(link.price(60, 0.5), 2, 6.5, 8);
}

TEST(PricedLinkTest, KnowsTheLatencyBesidesThePort) {
  EXPECT_DOUBLE_EQ((Price{0, 1, 3}.way_s()), 2);
  EXPECT_DOUBLE_EQ((Price{0, 3, 1}.way_s()), 0);
}

Event message(std::uint32_t worker) {
  return {0, worker, Event::Kind::order_here, 0};
}

void expect_next(SharedPort& port, std::uint32_t worker, double at_s) {
  EXPECT_DOUBLE_EQ(port.next_s(), at_s);
  const Event event = port.pop();
  EXPECT_EQ(event.worker, worker);
  EXPECT_DOUBLE_EQ(event.at_s, at_s);
}

TEST(SharedPortTest, GivesOneMessageEverything) {
  SharedPort port;
  EXPECT_TRUE(std::isinf(port.next_s()));
  port.enter(2, 0.5, message(1));
  expect_next(port, 1, 2.5);
  EXPECT_TRUE(std::isinf(port.next_s()));
  port.enter(7, 0.25, message(2));
  expect_next(port, 2, 7.25);
}

// 1 s and 2 s of work: both at half the rate until the short one has passed at 2, the rest at the whole.
TEST(SharedPortTest, IsHalvedByTwoMessages) {
  SharedPort port;
  port.enter(0, 2, message(1));
  port.enter(0, 1, message(2));
  expect_next(port, 2, 2);
  expect_next(port, 1, 3);
}

// From 1 on, 3 s are left of the first, which has a half from then, a third from 2 to 5.
TEST(SharedPortTest, AdmitsLaterMessages) {
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

// The second message waits for the first, and the third for both, unlike messages that share. A separate flow
// that begins at 10 gets a half.
TEST(SharedPortTest, PassesALineInItsOrder) {
  SharedPort port;
  port.stand_in_line(0, 0, 2, message(1));
  port.stand_in_line(0, 0, 1, message(2));
  port.stand_in_line(0, 1, 1, message(3));
  expect_next(port, 1, 2);
  expect_next(port, 2, 3);
  expect_next(port, 3, 4);
  EXPECT_TRUE(std::isinf(port.next_s()));
  port.enter(10, 5, message(4));
  port.stand_in_line(0, 10, 1, message(5));
  port.stand_in_line(0, 10, 2, message(6));
  expect_next(port, 5, 12);
  expect_next(port, 6, 16);
  expect_next(port, 4, 18);
}

// Each of two lines has a half, so the first message of one delays only those after it.
TEST(SharedPortTest, LetsLinesPassEachOther) {
  SharedPort port;
  port.stand_in_line(1, 0, 4, message(1));
  port.stand_in_line(0, 0, 1, message(2));
  port.stand_in_line(1, 0, 1, message(3));
  port.stand_in_line(0, 0, 1, message(4));
  expect_next(port, 2, 2);
  expect_next(port, 4, 4);
  expect_next(port, 1, 6);
  expect_next(port, 3, 7);
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
