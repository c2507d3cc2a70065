#include "models/predictor/bandwidth_limit.hpp"

#include <gmock/gmock.h>

#include <set>
#include <vector>

namespace loadshare::predictor {
namespace {

using testing::ElementsAre;

/// A tenth of a processor in periods of 10 ms, watched by ticks of 4 ms.
constexpr Grant tenth{0.1, 0.010, 0.004};
constexpr double forever_s = 1e9;

struct Stretch {
  double run_s = 0;
  double hold_s = 0;  // behind it
};

/// What a busy group does from the start, seen every 10 us.
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

TEST(BandwidthLimitTest, LeavesToTheWorkerWhatALoadLeaves) {
  BandwidthLimit limit(tenth, 0, 0, Availability(LoadPlan::constant(0.5)));
  EXPECT_NEAR(limit.run(forever_s, 20), 1, 0.01);
}

TEST(BandwidthLimitTest, StopsAtTheTimeItIsTold) {
  BandwidthLimit limit(tenth, 0, 0);
  EXPECT_NEAR(limit.run(forever_s, 0.0025), 0.0025, 1e-12);
  EXPECT_NEAR(limit.now_s(), 0.0025, 1e-12);
}

}  // namespace
}  // namespace loadshare::predictor
