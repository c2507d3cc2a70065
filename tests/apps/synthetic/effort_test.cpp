#include "apps/synthetic/effort.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "runtime/host/clock.hpp"

namespace loadshare::synthetic {
namespace {

double cpu_s_of(std::uint64_t rounds) {
  double least_s = 1e9;
  for (int i = 0; i < 5; ++i) {
    const double begun_s = thread_cpu_s();
    compute_rounds(rounds);
    least_s = std::min(least_s, thread_cpu_s() - begun_s);
  }
  return least_s;
}

TEST(Rounds, TakeTimeInProportion) {
  const double some_s = cpu_s_of(1'000'000), more_s = cpu_s_of(10'000'000);
  EXPECT_GT(some_s, 100e-6) << "no processor does a round in 0.1 ns: the loop was left out";
  EXPECT_GT(more_s, 4 * some_s);
  EXPECT_LT(more_s, 25 * some_s);
}

TEST(Rounds, AreMeasuredInProcessorTime) {
  const std::uint64_t per_second = measure_rounds_per_second();
  const double tenth_s = cpu_s_of(per_second / 10);
  EXPECT_GT(tenth_s, 0.05);
  EXPECT_LT(tenth_s, 0.3);
}

}  // namespace
}  // namespace loadshare::synthetic
