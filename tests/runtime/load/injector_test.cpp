#include "runtime/load/injector.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "runtime/load/pinned_thread.hpp"
#include "runtime/timing/clock.hpp"

namespace loadshare {
namespace {

void sleep_s(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

/// What a thread on that processor gets of it while it computes for so long.
double own_share(int cpu, double seconds) {
  const PinnedThread pinned(cpu);
  const double begun_s = monotonic_s(), cpu_before_s = thread_cpu_s();
  volatile double x = 1;
  while (monotonic_s() < begun_s + seconds) x = x * 1.000001;
  return (thread_cpu_s() - cpu_before_s) / (monotonic_s() - begun_s);
}

// The bounds are wide: other tests may run beside this one.
TEST(Injector, TakesItsShareOfAnIdleProcessor) {
  for (const double share : {0.2, 0.5}) {
    Injector injector(LoadPlan::constant(share), {allowed_cpus().front(), 1}, monotonic_s());
    sleep_s(0.6);
    const LoadMeasure measure = injector.stop();
    EXPECT_NEAR(measure.on_s, 0.6, 0.2);
    EXPECT_NEAR(measure.asked_s / measure.on_s, share, 1e-6);
    EXPECT_GT(measure.cpu_s / measure.on_s, share - 0.15);
    EXPECT_LT(measure.cpu_s / measure.on_s, share + 0.1);
    EXPECT_EQ(measure.cycles, 1);
  }
}

TEST(Injector, LeavesAWorkerTheRest) {
  const int cpu = allowed_cpus().back();
  for (const double share : {0.25, 0.5, 0.75}) {
    Injector injector(LoadPlan::constant(share), {cpu, 1}, monotonic_s());
    EXPECT_LT(own_share(cpu, 0.6), 1 - share + 0.15);
    const LoadMeasure measure = injector.stop();
    EXPECT_GT(measure.cpu_s / measure.on_s, share - 0.2);
    EXPECT_LT(measure.cpu_s / measure.on_s, share + 0.1);
  }
}

TEST(Injector, ComesOnAndGoesOff) {
  Injector injector(LoadPlan::on_off(0.05, 0.1, 0.5, 0), {allowed_cpus().front(), 1}, monotonic_s() + 0.05);
  sleep_s(0.05 + 0.15 * 4 - 0.02);
  const LoadMeasure measure = injector.stop();
  EXPECT_EQ(measure.cycles, 4);
  EXPECT_NEAR(measure.on_s, 0.2, 0.06);
  EXPECT_LT(measure.cpu_s, 0.17);
  EXPECT_GT(measure.cpu_s, 0.04);
  EXPECT_GE(measure.late_max_s, measure.late_p99_s);
  EXPECT_LT(measure.late_max_s, 0.1);
}

TEST(Injector, TakesOnlyItsPartOfALimitedProcessor) {
  Injector injector(LoadPlan::constant(0.5), {allowed_cpus().front(), 0.1}, monotonic_s());
  sleep_s(0.6);
  EXPECT_NEAR(injector.stop().cpu_s, 0.03, 0.02);
}

TEST(Injector, BeforeItsTimeItDoesNothing) {
  Injector injector(LoadPlan::constant(0.5), {allowed_cpus().front(), 1}, monotonic_s() + 100);
  sleep_s(0.05);
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
