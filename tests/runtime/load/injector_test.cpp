#include "runtime/load/injector.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>
#include <vector>

#include "runtime/host/clock.hpp"
#include "runtime/host/scheduling.hpp"
#include "tests/runtime/load/competing_worker.hpp"

namespace loadshare {
namespace {

// A thread that has the processor to itself and rests for as long as the budget says.
double used_share(double rate) {
  Budget budget(2e-3, 20e-3);
  double now_s = 100, cpu_s = 7;
  budget.begin(rate, now_s, cpu_s);
  while (now_s < 101) {
    now_s += 1e-4;
    cpu_s += 1e-4;
    now_s += budget.charge(now_s, cpu_s);
  }
  return (cpu_s - 7) / (now_s - 100);
}

TEST(Budget, KeepsAThreadToItsShare) {
  for (const double rate : {0.05, 0.25, 0.5, 0.9}) EXPECT_NEAR(used_share(rate), rate, 0.01);
}

TEST(Budget, LimitsTheAdvance) {
  Budget budget(2e-3, 20e-3);
  budget.begin(0.5, 0, 0);
  EXPECT_EQ(budget.charge(3e-3, 3e-3), 0);  // 1.5 ms ahead
  // 2.5 ms ahead: balanced after 5 ms at a rate of a half.
  EXPECT_NEAR(budget.charge(5e-3, 5e-3), 5e-3, 1e-9);
}

TEST(Budget, LimitsTheCatchingUp) {
  Budget budget(2e-3, 20e-3);
  budget.begin(0.5, 0, 0);
  EXPECT_EQ(budget.charge(1, 0), 0);        // withheld for 500 ms, 20 ms of which it may make up for
  EXPECT_EQ(budget.charge(1.04, 0.04), 0);  // used 40 ms, gained 20 ms: balanced
  EXPECT_GT(budget.charge(1.05, 0.05), 0);  // 5 ms ahead
}

TEST(Budget, KeepsADebtAcrossAPauseThatEarnsNothing) {
  Budget budget(2e-3, 20e-3);
  budget.begin(0.5, 0, 0);
  EXPECT_GT(budget.charge(10e-3, 10e-3), 0);  // 5 ms ahead
  budget.begin(0.5, 1, 10e-3);
  EXPECT_NEAR(budget.charge(1, 10e-3), 10e-3, 1e-9);
}

// Other programs may take most of the processor meanwhile, so only an upper bound is certain.
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

// Other programs take from both alike, so the ratio of the two holds on a busy machine too.
TEST(Injector, LeavesTheRestToTheWorker) {
  const int cpu = allowed_cpus().back();
  for (const double share : {0.5, 0.75}) {
    Injector injector(LoadPlan::constant(share), {cpu, 1}, monotonic_s());
    const double worker_cpu_s = test::compute_as_worker(cpu, 1);
    const double load_cpu_s = injector.stop().cpu_s;
    EXPECT_NEAR(load_cpu_s / (load_cpu_s + worker_cpu_s), share, 0.15);
  }
}

/// A plan that goes on and off this often and then stays off. Stopping it late gives the same measurements.
LoadPlan on_and_off(int times, double on_s, double off_s) {
  std::vector<LoadStep> steps;
  for (int i = 0; i < times; ++i) {
    steps.push_back({i * (on_s + off_s), 0.5});
    steps.push_back({i * (on_s + off_s) + on_s, 0});
  }
  return LoadPlan::trace(steps);
}

TEST(Injector, FollowsTheChangesOfItsPlan) {
  test::LatenessProbe probe;
  Injector injector(on_and_off(4, 0.1, 0.1), {allowed_cpus().front(), 1}, monotonic_s() + 0.05);
  test::sleep_s(0.05 + 0.2 * 4 + 0.1);
  const LoadMeasure measure = injector.stop();
  EXPECT_EQ(measure.cycles, 4);
  EXPECT_NEAR(measure.on_s, 4 * 0.1, 4 * probe.most_s());
  EXPECT_NEAR(measure.asked_s, 0.5 * measure.on_s, 1e-9);
  EXPECT_LT(measure.cpu_s, measure.asked_s + 0.07);
  EXPECT_GT(measure.cpu_s, 0.005);
}

// Time zero was 30 ms ago, and the plan changes every 0.5 ms.
TEST(Injector, MeasuresItsDelay) {
  Injector injector(on_and_off(150, 5e-4, 5e-4), {allowed_cpus().front(), 1}, monotonic_s() - 0.03);
  test::sleep_s(0.25);
  const LoadMeasure measure = injector.stop();
  EXPECT_GT(measure.late_max_s, 0.029);
  EXPECT_GT(measure.late_p99_s, 0.02);
  EXPECT_LT(measure.late_p99_s, measure.late_max_s);
}

TEST(Injector, TakesItsPartOfALimitedProcessor) {
  Injector injector(LoadPlan::constant(0.5), {allowed_cpus().front(), 0.1}, monotonic_s());
  test::sleep_s(0.6);
  const LoadMeasure measure = injector.stop();
  EXPECT_GT(measure.cpu_s, 0.005);
  EXPECT_LT(measure.cpu_s / measure.on_s, 0.08);
}

TEST(Injector, IsIdleBeforeTimeZero) {
  Injector injector(LoadPlan::constant(0.5), {allowed_cpus().front(), 1}, monotonic_s() + 100);
  test::sleep_s(0.05);
  const LoadMeasure measure = injector.stop();
  EXPECT_EQ(measure.on_s, 0);
  EXPECT_EQ(measure.cycles, 0);
  EXPECT_LT(measure.cpu_s, 0.02);
}

TEST(PinnedThread, RestoresTheThreadsProcessors) {
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
