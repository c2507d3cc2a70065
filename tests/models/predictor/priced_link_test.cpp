#include "models/predictor/priced_link.hpp"

#include <gtest/gtest.h>

#include "models/communication/linear_costs.hpp"

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
TEST(PricedLinkTest, AsksForLongOnes) {
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

TEST(PricedLinkTest, KnowsTheWayBesideThePort) {
  EXPECT_DOUBLE_EQ((Price{0, 1, 3}.way_s()), 2);
  EXPECT_DOUBLE_EQ((Price{0, 3, 1}.way_s()), 0);
}

}  // namespace
}  // namespace loadshare::predictor
