#include "models/farm/processors.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

namespace loadshare::predictor {
namespace {

using testing::ElementsAre;

/// A tenth of a processor in periods of 10 ms, watched by ticks of 4 ms.
constexpr CpuQuota tenth{0.1, 0.010, 0.004};
constexpr double forever_s = 1e9;

struct Stretch {
  double run_s = 0;
  double hold_s = 0;  // behind it
};

/// Returns the behaviour of a busy group from the start, sampled every 10 us.
std::vector<Stretch> stretches(BandwidthLimit limit, double until_s) {
  constexpr double step_s = 10e-6;
  std::vector<Stretch> found;
  bool was_running = false;
  for (int i = 1; i * step_s <= until_s; ++i) {
    const bool is_running = limit.run(forever_s, i * step_s) > step_s / 2;
    if (is_running && !was_running) found.emplace_back();
    if (!found.empty()) (is_running ? found.back().run_s : found.back().hold_s) += step_s;
    was_running = is_running;
  }
  if (!found.empty()) found.pop_back();  // it may have been cut off
  return found;
}

/// In whole milliseconds, each once.
std::set<int> milliseconds(const std::vector<Stretch>& stretches, double Stretch::*part) {
  std::set<int> found;
  for (const Stretch& one : stretches) found.insert(static_cast<int>(one.*part * 1e3));
  return found;
}

// As measured on Linux with CONFIG_HZ = 250, where a period began 0.4 ms after a tick: runs of 3.6 and 1.6
// ms, holds of 36, 26, 18 and 8 ms.
TEST(BandwidthLimitTest, AlternatesAsLinuxDoes) {
  const std::vector<Stretch> found = stretches(BandwidthLimit(tenth, 0, 0.0004), 2);
  EXPECT_THAT(milliseconds(found, &Stretch::run_s), ElementsAre(1, 3));
  EXPECT_THAT(milliseconds(found, &Stretch::hold_s), ElementsAre(8, 18, 26, 36));
  EXPECT_NEAR(found.front().run_s, 0.0036, 2e-5);
  double run_s = 0, all_s = 0;
  for (const Stretch& one : found) {
    run_s += one.run_s;
    all_s += one.run_s + one.hold_s;
  }
  EXPECT_NEAR(run_s / all_s, 0.1, 0.002);
}

// Watched every half millisecond, it is stopped soon after its millisecond.
TEST(BandwidthLimitTest, RunsBrieflyUnderFrequentChecks) {
  const std::vector<Stretch> found = stretches(BandwidthLimit({0.1, 0.010, 0.0005}, 0, 0.0002), 2);
  EXPECT_THAT(milliseconds(found, &Stretch::run_s), ElementsAre(0, 1));
  EXPECT_THAT(milliseconds(found, &Stretch::hold_s), ElementsAre(8, 9));
  EXPECT_NEAR(found.front().run_s, 0.0013, 2e-5);
}

TEST(BandwidthLimitTest, GrantsItsShareFromAnyPhase) {
  for (const double period_phase_s : {0.0, 0.003, 0.0099})
    for (const double tick_phase_s : {0.0, 0.0004, 0.0024})
      EXPECT_NEAR(BandwidthLimit(tenth, period_phase_s, tick_phase_s).run(forever_s, 10), 1, 0.005);
}

// The tick at 4 ms finds 3 ms too much, which the grants at 10, 20 and 30 ms pay; that at 40 ms lets it run.
TEST(BandwidthLimitTest, PaysItsDebtBeforeItRunsOn) {
  BandwidthLimit limit(tenth, 0, 0);
  EXPECT_NEAR(limit.run(0.004, forever_s), 0.004, 1e-12);
  EXPECT_NEAR(limit.now_s(), 0.004, 1e-12);
  limit.run(0.001, forever_s);
  EXPECT_NEAR(limit.now_s(), 0.041, 1e-9);
}

TEST(BandwidthLimitTest, KeepsNoMoreThanAPeriodsGrant) {
  BandwidthLimit limit(tenth, 0, 0);
  limit.idle_until(5.0005);
  limit.run(0.0005, forever_s);
  EXPECT_NEAR(limit.now_s(), 5.001, 1e-9);
  limit.run(0.0031, forever_s);  // up to the next tick and beyond
  EXPECT_GT(limit.now_s(), 5.02);
}

TEST(BandwidthLimitTest, LeavesTheWorkerTheRestOfALoad) {
  BandwidthLimit limit(tenth, 0, 0, Availability(LoadPlan::constant(0.5)));
  EXPECT_NEAR(limit.run(forever_s, 20), 1, 0.01);
}

TEST(BandwidthLimitTest, StopsAtTheGivenTime) {
  BandwidthLimit limit(tenth, 0, 0);
  EXPECT_NEAR(limit.run(forever_s, 0.0025), 0.0025, 1e-12);
  EXPECT_NEAR(limit.now_s(), 0.0025, 1e-12);
}

nlohmann::json golden() {
  std::ifstream file(std::string(LOADSHARE_TEST_DATA) + "/onoff_load.json");
  return nlohmann::json::parse(file);
}

/// The golden load comes on at `phase`; a plan is at its phase when the run begins.
Availability beside_load(double phase) {
  return Availability(LoadPlan::on_off(1, 1, 0.5, std::fmod(2 - phase, 2)));
}

// tests/data/onoff_load.json
TEST(AvailabilityTest, EndsWorkAtTheGoldenTimes) {
  const nlohmann::json rows = golden()["finish_times"];
  ASSERT_EQ(rows.size(), 150);
  for (const auto& row : rows)
    EXPECT_NEAR(beside_load(row["phase"]).finish_s(row["start"], row["work"]), row["finish"], 1e-9) << row;
}

// ditto; a random phase is one of many at equal distances here
TEST(AvailabilityTest, TakesTheGoldenTimeInTheMean) {
  constexpr int phases = 20000;
  const nlohmann::json rows = golden()["mean_duration_uniform_phase"];
  ASSERT_EQ(rows.size(), 14);
  for (const auto& row : rows) {
    double sum_s = 0;
    for (int i = 0; i < phases; ++i) sum_s += beside_load(2.0 * (i + 0.5) / phases).finish_s(0, row["work"]);
    const double mean_s = row["mean_formula"];
    EXPECT_NEAR(sum_s / phases, mean_s, 1e-6 * std::max(1.0, mean_s)) << row;
  }
}

TEST(AvailabilityTest, ContainsTheWorkOfItsInterval) {
  const Availability load(LoadPlan::on_off(0.375, 0.25, 0.3, 0.1));
  for (double start_s = 0; start_s < 2; start_s += 0.0625)
    for (const double work_s : {1e-6, 0.01, 0.2, 0.5, 0.5125, 3.0, 1e5})
      EXPECT_NEAR(load.work_s(start_s, load.finish_s(start_s, work_s)), work_s, 1e-9 * std::max(1.0, work_s));
}

TEST(AvailabilityTest, FollowsATraceToItsEnd) {
  const Availability load(LoadPlan::trace({{1, 0.5}, {3, 0}, {4, 0.75}}));
  EXPECT_DOUBLE_EQ(load.finish_s(0, 1), 1);
  EXPECT_DOUBLE_EQ(load.finish_s(0, 1.5), 2);
  EXPECT_DOUBLE_EQ(load.finish_s(0, 3), 4);
  EXPECT_DOUBLE_EQ(load.finish_s(0, 4), 8);
  EXPECT_DOUBLE_EQ(load.mean_rate(), 0.25);
}

TEST(AvailabilityTest, IsCompleteWithoutALoad) {
  EXPECT_EQ(Availability().finish_s(2, 3), 5);
  EXPECT_EQ(Availability().mean_rate(), 1);
  EXPECT_EQ(Availability(LoadPlan::trace({})).finish_s(2, 3), 5);
}

TEST(AvailabilityTest, GivesAConstantLoadItsPart) {
  const Availability load(LoadPlan::constant(0.6));
  EXPECT_DOUBLE_EQ(load.finish_s(7, 4), 17);
  EXPECT_DOUBLE_EQ(load.mean_rate(), 0.4);
}

TEST(AvailabilityTest, MovesByAPhase) {
  const Availability load = Availability(LoadPlan::on_off(1, 1, 0.5, 0)).shifted(1.5);
  EXPECT_DOUBLE_EQ(load.finish_s(0, 0.75), 1);  // half a second whole, then half of it
  EXPECT_DOUBLE_EQ(load.next_change_s(0), 0.5);
  EXPECT_DOUBLE_EQ(load.rate_at(0.75), 0.5);
}

TEST(AvailabilityTest, ChangesAgainLaterThanNow) {
  constexpr int cycles = 1000;
  for (const double on_s : {0.2, 0.01, 0.1, 1.0 / 3})
    for (const double off_s : {0.2, 0.03, 0.7})
      for (const double phase_s : {0.0, 0.05, 0.3}) {
        const Availability load = Availability(LoadPlan::on_off(on_s, off_s, 0.5, 0)).shifted(phase_s);
        double time_s = 0;
        for (int change = 0; change < 2 * cycles; ++change) {
          const double next_s = load.next_change_s(time_s);
          ASSERT_GT(next_s, time_s) << on_s << " on, " << off_s << " off, from " << phase_s;
          ASSERT_NE(load.rate_at(next_s), load.rate_at(time_s)) << next_s;
          time_s = next_s;
        }
        EXPECT_NEAR(time_s, cycles * (on_s + off_s), on_s + off_s);
      }
}

// Whatever rounding makes of instants that no double has.
TEST(AvailabilityTest, NextChangeIsAlwaysLater) {
  for (int phase = 0; phase < 50; ++phase) {
    const Availability load =
        Availability(LoadPlan::on_off(0.3, 0.7 + 0.001 * phase, 0.5, 0)).shifted(phase / 7.0);
    double at_s = 0;
    for (int change = 0; change < 2000; ++change) {
      const double next_s = load.next_change_s(at_s);
      ASSERT_GT(next_s, at_s) << phase << " " << change;
      at_s = next_s;
    }
    EXPECT_NEAR(at_s, 1000 * (1 + 0.001 * phase), 3) << phase;
  }
}

TEST(AvailabilityTest, IsAShareOfTheLoadsRest) {
  const Availability load(LoadPlan::on_off(1, 1, 0.5, 0));
  const Availability scaled = load.scaled(0.25);
  for (const double work_s : {0.1, 0.5, 0.7, 3.0, 1000.0})
    EXPECT_NEAR(scaled.finish_s(0.25, work_s / 4), load.finish_s(0.25, work_s), 1e-9);
  EXPECT_DOUBLE_EQ(scaled.mean_rate(), 0.75 / 4);
  EXPECT_DOUBLE_EQ(scaled.work_s(0.5, 7.25), load.work_s(0.5, 7.25) / 4);
  EXPECT_DOUBLE_EQ(Availability().scaled(0.25).finish_s(1, 2), 9);
  EXPECT_TRUE(Availability().scaled(1).is_whole());
}

TEST(MasterProcessorTest, ServesOneAfterTheOther) {
  MasterProcessor master;
  EXPECT_DOUBLE_EQ(master.serve_s(1, 0.5), 1.5);
  EXPECT_DOUBLE_EQ(master.serve_s(1.25, 0.5), 2);
  EXPECT_DOUBLE_EQ(master.serve_s(4, 0.5), 4.5);
  EXPECT_DOUBLE_EQ(master.busy_s(), 1.5);
}

TEST(MasterProcessorTest, ServesWhenItBecomesFree) {
  MasterProcessor master;
  EXPECT_DOUBLE_EQ(master.serve_s(0, 0), 0);
  master.serve_s(0, 2);
  EXPECT_DOUBLE_EQ(master.serve_s(1, 0), 2);
  EXPECT_DOUBLE_EQ(master.busy_s(), 2);
}

TEST(MasterProcessorTest, ComputesWithWhatServingLeaves) {
  MasterProcessor master;
  master.begin_own(1, 4);
  EXPECT_DOUBLE_EQ(master.own_end_s(), 5);
  EXPECT_DOUBLE_EQ(master.serve_s(2, 0.5), 2.5);
  EXPECT_DOUBLE_EQ(master.own_end_s(), 5.5);
  EXPECT_DOUBLE_EQ(master.serve_s(2.25, 0.5), 3);  // waits for the one before
  EXPECT_DOUBLE_EQ(master.own_end_s(), 6);
  master.end_own();
  EXPECT_DOUBLE_EQ(master.serve_s(6, 1), 7);
}

TEST(MasterProcessorTest, ComputesAfterServing) {
  MasterProcessor master;
  master.serve_s(0, 2);
  master.begin_own(1, 1);
  EXPECT_DOUBLE_EQ(master.own_end_s(), 3);
}

// Half of the processor is gone: serving takes twice as long, and so does computing.
TEST(MasterProcessorTest, IsSlowedByALoad) {
  MasterProcessor master{Processor(Availability(LoadPlan::constant(0.5)))};
  master.begin_own(0, 1);
  EXPECT_DOUBLE_EQ(master.serve_s(1, 0.25), 1.5);
  EXPECT_DOUBLE_EQ(master.own_end_s(), 2.5);
  EXPECT_DOUBLE_EQ(master.busy_s(), 0.25);
}

// A query for the end must not use up the group's grant.
TEST(MasterProcessorTest, PredictsUnderALimitWithoutSpendingIt) {
  MasterProcessor master{Processor(BandwidthLimit({0.1, 0.010, 0.004}, 0, 0))};
  master.begin_own(0, 0.01);
  const double end_s = master.own_end_s();
  EXPECT_GT(end_s, 0.05);
  EXPECT_DOUBLE_EQ(master.own_end_s(), end_s);
}

}  // namespace
}  // namespace loadshare::predictor
