#include "runtime/load/budget.hpp"

#include <gtest/gtest.h>

namespace loadshare {
namespace {

// A thread that has the processor to itself, and rests when it is told to.
double used_share(double rate) {
  Budget budget(2e-3, 20e-3);
  double now_s = 100, cpu_s = 7;
  budget.begin(rate, now_s, cpu_s);
  while (now_s < 101) {
    now_s += 1e-4;
    cpu_s += 1e-4;
    now_s += budget.settle(now_s, cpu_s);
  }
  return (cpu_s - 7) / (now_s - 100);
}

TEST(Budget, KeepsAThreadToItsShare) {
  for (const double rate : {0.05, 0.25, 0.5, 0.9}) EXPECT_NEAR(used_share(rate), rate, 0.01);
}

TEST(Budget, LetsItGoAheadALittleOnly) {
  Budget budget(2e-3, 20e-3);
  budget.begin(0.5, 0, 0);
  EXPECT_EQ(budget.settle(3e-3, 3e-3), 0);             // 1.5 ms ahead
  EXPECT_NEAR(budget.settle(5e-3, 5e-3), 5e-3, 1e-9);  // 2.5 ms: even again after 5 ms at a half
}

TEST(Budget, LetsItCatchUpWithinLimits) {
  Budget budget(2e-3, 20e-3);
  budget.begin(0.5, 0, 0);
  EXPECT_EQ(budget.settle(1, 0), 0);        // kept from 500 ms, 20 of which it may have yet
  EXPECT_EQ(budget.settle(1.04, 0.04), 0);  // used 40, earned 20: even
  EXPECT_GT(budget.settle(1.05, 0.05), 0);  // 5 ahead
}

TEST(Budget, ADebtOutlastsThePauseAndThePauseEarnsNothing) {
  Budget budget(2e-3, 20e-3);
  budget.begin(0.5, 0, 0);
  EXPECT_GT(budget.settle(10e-3, 10e-3), 0);  // 5 ms ahead
  budget.begin(0.5, 1, 10e-3);
  EXPECT_NEAR(budget.settle(1, 10e-3), 10e-3, 1e-9);
}

}  // namespace
}  // namespace loadshare
