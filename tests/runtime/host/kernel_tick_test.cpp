#include "runtime/host/kernel_tick.hpp"

#include <gtest/gtest.h>

namespace loadshare {
namespace {

TEST(KernelTick, IsTheCoarseClocksResolution) {
  EXPECT_EQ(tick_told_by(1e-3), 1e-3);
  EXPECT_EQ(tick_told_by(10e-3), 10e-3);
}

TEST(KernelTick, IsFourMillisecondsWhereThatCannotBe) {
  EXPECT_EQ(tick_told_by(1e-9), 4e-3);  // as sandboxes have it
  EXPECT_EQ(tick_told_by(0), 4e-3);
  EXPECT_EQ(tick_told_by(1), 4e-3);
}

TEST(KernelTick, OfThisKernelIsThatOfSomeKernel) {
  EXPECT_GE(kernel_tick_s(), 0.5e-3);
  EXPECT_LE(kernel_tick_s(), 20e-3);
}

}  // namespace
}  // namespace loadshare
