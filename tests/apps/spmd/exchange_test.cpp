#include "apps/spmd/exchange.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace loadshare::spmd {
namespace {

constexpr auto nap = std::chrono::milliseconds(20);

void use_processor(double seconds) {
  const double end_s = thread_cpu_s() + seconds;
  while (thread_cpu_s() < end_s) {
  }
}

TEST(PhaseClock, BeginsAtZero) {
  const PhaseClock clock;
  EXPECT_EQ(clock.computing_s() + clock.stolen_s() + clock.exchanging_s(), 0);
}

TEST(PhaseClock, ComputingIsProcessorTime) {
  PhaseClock clock;
  clock.compute([] { use_processor(0.02); });
  clock.compute([] { use_processor(0.02); });
  EXPECT_GE(clock.computing_s(), 0.04);
  EXPECT_LT(clock.computing_s(), 0.05);
  EXPECT_EQ(clock.exchanging_s(), 0);
}

TEST(PhaseClock, TheRestOfTheTimeWhileComputingIsStolen) {
  PhaseClock clock;
  clock.compute([] { std::this_thread::sleep_for(nap); });
  EXPECT_GE(clock.stolen_s(), 0.018);
  EXPECT_LT(clock.computing_s(), 0.005);
}

TEST(PhaseClock, WaitingForOthersIsExchanging) {
  PhaseClock clock;
  clock.exchange([] { std::this_thread::sleep_for(nap); });
  EXPECT_GE(clock.exchanging_s(), 0.02);
  EXPECT_EQ(clock.computing_s() + clock.stolen_s(), 0);
}

}  // namespace
}  // namespace loadshare::spmd
