#include "experiments/lab/link_rate.hpp"

#include <gtest/gtest.h>

namespace loadshare::lab {
namespace {

TEST(LinkRate, TakesTheLargestUnitThatFits) {
  EXPECT_EQ(link_rate_text(100'000'000), "100 Mbit/s");
  EXPECT_EQ(link_rate_text(2'500'000'000), "2.5 Gbit/s");
  EXPECT_EQ(link_rate_text(10'000), "10 kbit/s");
  EXPECT_EQ(link_rate_text(999), "999 bit/s");
}

}  // namespace
}  // namespace loadshare::lab
