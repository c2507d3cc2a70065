#include "experiments/sweep/plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "base/random.hpp"
#include "base/statistics.hpp"
#include "tests/experiments/sweep/sample_sweep.hpp"

namespace loadshare::sweep {
namespace {

using testing::ElementsAre;

std::vector<double> first_numbers(std::size_t count) {
  std::vector<double> values(count);
  std::iota(values.begin(), values.end(), 1.0);
  return values;
}

TEST(StopRule, AFixedNumberIsEnough) {
  EXPECT_FALSE(is_enough({3, 3, 0}, 2, first_numbers(2)));
  EXPECT_TRUE(is_enough({3, 3, 0}, 3, first_numbers(3)));
  EXPECT_FALSE(is_enough({3, 3, 0}, 3, first_numbers(2))) << "one failed";
}

TEST(StopRule, LooksAfterHalfAsManyMoreEachTime) {
  EXPECT_THAT(looks_of({10, 10, 0}), ElementsAre(10));
  EXPECT_THAT(looks_of({10, 30, 0.02}), ElementsAre(10, 15, 23, 30));
  // With 5 checks each would have 1 %, at which 6 samples have no interval. So there are 4, from 9 on.
  EXPECT_THAT(looks_of({6, 30, 0.02}), ElementsAre(9, 14, 21, 30));
  EXPECT_THAT(looks_of({6, 7, 0.02}), ElementsAre(7));
}

TEST(StopRule, GoesOnUntilTheIntervalIsNarrow) {
  const Repeat rule{10, 30, 0.02};
  const std::vector<double> narrow{100, 101, 99, 100, 100, 101, 100, 99, 150, 101};
  EXPECT_FALSE(is_enough(rule, 10, narrow)) << "at 98.75 % ten samples have none but the least and the most";
  EXPECT_FALSE(is_enough(rule, 9, std::vector<double>(9, 100.0))) << "at least 10";
  EXPECT_TRUE(is_enough(rule, 10, std::vector<double>(10, 100.0)));
  EXPECT_FALSE(is_enough(rule, 11, std::vector<double>(11, 100.0))) << "no look";
  std::vector<double> wide = first_numbers(29);
  EXPECT_FALSE(is_enough(rule, 30, wide)) << "one failed";
  wide.push_back(200);
  EXPECT_TRUE(is_enough(rule, 30, wide)) << "at most 30";
}

// Intervals after a stop by their own width still contain the truth as often as stated.
TEST(StopRule, TheIntervalsAfterItHoldTheTruth) {
  const Repeat rule{6, 30, 0.05};
  const double error = most_error / static_cast<double>(looks_of(rule).size());
  std::mt19937_64 random(3);
  int held = 0, early = 0;
  constexpr int trials = 2000;
  for (int trial = 0; trial < trials; ++trial) {
    std::vector<double> samples;
    while (!is_enough(rule, static_cast<Index>(samples.size()), samples))
      samples.push_back(std::exp(0.05 * normal(random)));
    const auto interval = median_interval(samples, error);
    held += interval->low <= 1 && 1 <= interval->high ? 1 : 0;
    early += samples.size() < 30 ? 1 : 0;
  }
  EXPECT_GT(held, 0.95 * trials);
  EXPECT_GT(early, trials / 4) << "or it shows nothing";
}

constexpr const char* four_points = "    matrix: {scheduler: [send, gss], size: [1, 2]}\n    repeat: 3\n";

struct Seen {
  std::string id;
  Index repetition;
  bool operator==(const Seen&) const = default;
  auto operator<=>(const Seen&) const = default;
};

/// Runs the plan to its end, every run taking a second.
std::vector<Seen> run_out(Plan& plan) {
  std::vector<Seen> seen;
  while (const auto run = plan.next()) {
    seen.push_back({run->point->id, run->repetition});
    plan.done(*run, 1.0);
  }
  return seen;
}

TEST(Plan, EveryPointHasItsFirstRunBeforeAnyHasItsSecond) {
  const SweepSpec spec = sweep_of(four_points);
  Plan plan(spec, {});
  EXPECT_EQ(plan.left(), 12);
  const auto seen = run_out(plan);
  ASSERT_EQ(seen.size(), 12u);
  for (std::size_t i = 0; i < seen.size(); ++i) EXPECT_EQ(seen[i].repetition, static_cast<Index>(i / 4));
  EXPECT_EQ(plan.left(), 0);
  auto sorted = seen;
  std::ranges::sort(sorted);
  EXPECT_TRUE(std::ranges::adjacent_find(sorted) == sorted.end()) << "no run twice";
}

TEST(Plan, TheSeedDeterminesTheOrder) {
  const SweepSpec one = sweep_of(four_points, "seed: 1\n");
  const SweepSpec other = sweep_of(four_points, "seed: 2\n");
  Plan a(one, {}), b(one, {}), c(other, {});
  const auto order = run_out(a);
  EXPECT_EQ(order, run_out(b));
  EXPECT_NE(order, run_out(c));
  EXPECT_NE(order[0].id + order[1].id + order[2].id, order[4].id + order[5].id + order[6].id)
      << "each repetition is shuffled anew";
}

TEST(Plan, AResumedPlanHasOnlyMissingRuns) {
  const SweepSpec spec = sweep_of(four_points);
  Plan whole(spec, {});
  const auto all = run_out(whole);
  for (std::size_t cut = 0; cut <= all.size(); ++cut) {
    Plan plan(spec, {});
    for (std::size_t i = 0; i < cut; ++i) plan.already_done(all[i].id, all[i].repetition, 1.0);
    EXPECT_EQ(plan.left(), static_cast<Index>(all.size() - cut));
    const auto rest = run_out(plan);
    EXPECT_TRUE(std::ranges::equal(rest, std::span(all).subspan(cut))) << cut;
    EXPECT_EQ(plan.left(), 0);
  }
}

TEST(Plan, AFailedRunIsMadeAgainByTheNextSweepOnly) {
  const SweepSpec spec = sweep_of("    repeat: 3\n");
  Plan plan(spec, {});
  plan.done(*plan.next(), 1.0);
  plan.done(*plan.next(), std::nullopt);
  plan.done(*plan.next(), 1.0);
  EXPECT_FALSE(plan.next());
  EXPECT_EQ(plan.left(), 0);
  Plan resumed(spec, {});
  resumed.already_done("e", 0, 1.0);
  resumed.already_done("e", 2, 1.0);
  EXPECT_EQ(resumed.left(), 1);
  EXPECT_EQ(run_out(resumed), (std::vector<Seen>{{"e", 1}}));
}

TEST(Plan, AStopRuleSavesRuns) {
  const SweepSpec spec =
      sweep_of("    matrix: {size: [1, 2]}\n    repeat: {at-least: 6, at-most: 14, within: 2%}\n");
  Plan plan(spec, {});
  EXPECT_TRUE(plan.may_end_early());
  EXPECT_EQ(plan.left(), 28);
  std::vector<Seen> seen;
  while (const auto run = plan.next()) {
    seen.push_back({run->point->id, run->repetition});
    const bool is_noisy = run->point->id == "e/size=2";
    plan.done(*run, is_noisy ? static_cast<double>(1 + run->repetition) : 1.0);
  }
  EXPECT_EQ(std::ranges::count(seen, "e/size=1", &Seen::id), 9);
  EXPECT_EQ(std::ranges::count(seen, "e/size=2", &Seen::id), 14);
  EXPECT_EQ(plan.left(), 0);
  Plan resumed(spec, {});
  for (const Seen& run : seen) resumed.already_done(run.id, run.repetition, run.id == "e/size=2" ? 5.0 : 1.0);
  EXPECT_EQ(resumed.left(), 0);
  EXPECT_FALSE(resumed.next());
}

TEST(Plan, OnlySomeExperiments) {
  const SweepSpec spec = sweep_of("    repeat: 1\n  - name: f\n    repeat: 2\n");
  Plan plan(spec, {"f"});
  EXPECT_EQ(plan.points(), 1u);
  EXPECT_EQ(run_out(plan), (std::vector<Seen>{{"f", 0}, {"f", 1}}));
  EXPECT_THROW(Plan(spec, {"g"}), UsageError);
}

}  // namespace
}  // namespace loadshare::sweep
