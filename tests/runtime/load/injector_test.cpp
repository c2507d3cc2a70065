#include "runtime/load/injector.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "runtime/load/pinned_thread.hpp"
#include "runtime/timing/clock.hpp"
#include "tests/runtime/load/compute_beside.hpp"

namespace loadshare {
namespace {

// Other programs may take most of the processor meanwhile, so what is certain is an upper bound.
TEST(Injector, TakesNoMoreThanItsShareOfAnIdleProcessor) {
  for (const double share : {0.2, 0.5}) {
    Injector injector(LoadPlan::constant(share), {allowed_cpus().front(), 1}, monotonic_s());
    test::sleep_s(0.6);
    const LoadMeasure measure = injector.stop();
    EXPECT_GT(measure.on_s, 0.4);
    EXPECT_NEAR(measure.asked_s / measure.on_s, share, 1e-6);
    EXPECT_GT(measure.cpu_s, 0.02);
    EXPECT_LT(measure.cpu_s / measure.on_s, share + 0.1);
    EXPECT_EQ(measure.cycles, 1);
  }
}

// Others take from both alike, so what the two get in relation to each other holds on a busy machine too.
TEST(Injector, LeavesAWorkerTheRest) {
  const int cpu = allowed_cpus().back();
  for (const double share : {0.5, 0.75}) {
    Injector injector(LoadPlan::constant(share), {cpu, 1}, monotonic_s());
    const double worker_cpu_s = test::compute_beside(cpu, 1);
    const double load_cpu_s = injector.stop().cpu_s;
    EXPECT_NEAR(load_cpu_s / (load_cpu_s + worker_cpu_s), share, 0.15);
  }
}

TEST(Injector, ComesOnAndGoesOff) {
  Injector injector(LoadPlan::on_off(0.05, 0.1, 0.5, 0), {allowed_cpus().front(), 1}, monotonic_s() + 0.05);
  test::sleep_s(0.05 + 0.15 * 4 - 0.02);
  const LoadMeasure measure = injector.stop();
  EXPECT_EQ(measure.cycles, 4);
  EXPECT_NEAR(measure.on_s, 0.2, 0.1);
  EXPECT_LT(measure.cpu_s, 0.17);
  EXPECT_GT(measure.cpu_s, 0.005);
  EXPECT_GE(measure.late_max_s, measure.late_p99_s);
}

TEST(Injector, TakesOnlyItsPartOfALimitedProcessor) {
  Injector injector(LoadPlan::constant(0.5), {allowed_cpus().front(), 0.1}, monotonic_s());
  test::sleep_s(0.6);
  const double cpu_s = injector.stop().cpu_s;
  EXPECT_GT(cpu_s, 0.005);
  EXPECT_LT(cpu_s, 0.05);
}

TEST(Injector, BeforeItsTimeItDoesNothing) {
  Injector injector(LoadPlan::constant(0.5), {allowed_cpus().front(), 1}, monotonic_s() + 100);
  test::sleep_s(0.05);
  const LoadMeasure measure = injector.stop();
  EXPECT_EQ(measure.on_s, 0);
  EXPECT_EQ(measure.cycles, 0);
  EXPECT_LT(measure.cpu_s, 0.02);
}

TEST(PinnedThread, GivesBackTheProcessorsItHad) {
  const auto before = allowed_cpus();
  {
    const PinnedThread pinned(before.back());
    EXPECT_EQ(allowed_cpus(), std::vector{before.back()});
  }
  EXPECT_EQ(allowed_cpus(), before);
  EXPECT_FALSE(PinnedThread(std::nullopt).is_pinned());
}

}  // namespace
}  // namespace loadshare
