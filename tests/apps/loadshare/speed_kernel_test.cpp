#include "apps/loadshare/speed_kernel.hpp"

#include <gtest/gtest.h>

namespace loadshare::tool {
namespace {

TEST(SpeedKernel, IsRightOnceItHasComputed) {
  SpeedKernel kernel;
  EXPECT_FALSE(kernel.is_right());
  for (int i = 0; i < 3; ++i) {
    kernel.compute();
    EXPECT_TRUE(kernel.is_right());
  }
}

TEST(SpeedKernel, IsAboutAMillionOperations) {
  EXPECT_EQ(SpeedKernel::operations(), 1'024'000);
}

}  // namespace
}  // namespace loadshare::tool
