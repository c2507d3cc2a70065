#include "runtime/load/share.hpp"

#include <gtest/gtest.h>

namespace loadshare {
namespace {

TEST(Share, TakesAsManyThreadsAsAFairProcessorAsksFor) {
  EXPECT_EQ(threads_for(0), 0);
  EXPECT_EQ(threads_for(0.01), 1);
  EXPECT_EQ(threads_for(0.5), 1);
  EXPECT_EQ(threads_for(0.51), 2);
  EXPECT_EQ(threads_for(2.0 / 3), 2);
  EXPECT_EQ(threads_for(0.75), 3);
  EXPECT_EQ(threads_for(0.9), 9);
  EXPECT_EQ(threads_for(most_load_share), 99);
}

}  // namespace
}  // namespace loadshare
