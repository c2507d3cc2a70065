#include "models/efficiency/speedups.hpp"

#include <gmock/gmock.h>

#include "tests/models/efficiency/made_runs.hpp"

namespace loadshare::granularity::test {
namespace {

const RunTimes two = made_run(10, {{9, 1, 0, 0}, {7, 1, 2, 0}});

TEST(Classical, ReturnsCostAndOverhead) {
  EXPECT_DOUBLE_EQ(cost_s(two), 20);
  EXPECT_DOUBLE_EQ(cost_s(two, 1), 10);
  EXPECT_DOUBLE_EQ(overhead_s(20, 16), 4);
}

TEST(Classical, DiffersFromGranularityByTheExtraComputing) {
  const Classical figures = classical(two, 12.8);
  EXPECT_DOUBLE_EQ(figures.speedup, 1.28);
  EXPECT_DOUBLE_EQ(figures.efficiency, 0.64);
  EXPECT_NEAR(figures.difference, 0.16, 1e-12);
  EXPECT_NEAR(figures.relative_difference, 0.25, 1e-12);
  EXPECT_NEAR(figures.extra_computing, 0.25, 1e-12);
  EXPECT_DOUBLE_EQ(figures.overhead_s, 7.2);
}

TEST(Classical, TheDifferenceIsTheExtraComputingOverTheCost) {
  std::mt19937 random(2);
  for (int i = 0; i < 200; ++i) {
    const RunTimes run = random_run(random);
    const double sequential_s = 0.7 * cost_s(run);
    const Classical figures = classical(run, sequential_s);
    EXPECT_NEAR(figures.difference, figures.extra_computing * sequential_s / cost_s(run), 1e-12);
  }
}

TEST(Classical, RefusesInvalidTimes) {
  for (const double wrong_s : {0.0, -1.0})
    EXPECT_THAT(
        error_of([&] { (void)classical(two, wrong_s); }),
        testing::EndsWith(" s (it must be more than 0); give the seconds that the problem takes on one "
                          "processor"));
}

using Speeds = std::vector<double>;

RunTimes with_work(RunTimes run, const std::vector<double>& work) {
  for (std::size_t i = 0; i < work.size(); ++i) run.ranks[i].work = work[i];
  return run;
}

TEST(MeasuredSpeeds, AreWorkOverComputing) {
  const RunTimes run = with_work(made_run(10, {{8, 2, 0, 0}, {5, 5, 0, 0}}), {80, 150});
  EXPECT_EQ(measured_speeds(run), (Speeds{10, 30}));
  EXPECT_TRUE(ranks_without_speed(run).empty());
}

TEST(MeasuredSpeeds, AreUnknownForARankThatDidNothing) {
  const RunTimes two = made_run(10, {{8, 2, 0, 0}, {5, 5, 0, 0}});
  EXPECT_FALSE(measured_speeds(with_work(two, {80})));
  EXPECT_EQ(ranks_without_speed(with_work(two, {80})), std::vector{1});
  EXPECT_FALSE(measured_speeds(with_work(made_run(10, {{8, 2, 0, 0}, {0, 10, 0, 0}}), {80, 1})));
  EXPECT_FALSE(measured_speeds(with_work(made_run(10, {{8, 2, 0, 0}}), {0})));
}

TEST(QuotaSpeeds, AreTheSharesThatHostsGrant) {
  RunTimes run = made_run(10, {{8, 2, 0, 0}, {5, 5, 0, 0}});
  run.ranks[0].capacity = 0.1;
  EXPECT_EQ(quota_speeds(run), (Speeds{0.1, 1}));
}

TEST(UnequalSpeeds, DifferByMoreThanFivePercentInAnyOrder) {
  EXPECT_TRUE(are_unequal(Speeds{2, 1, 3}));  // their mean is that of the first
  EXPECT_TRUE(are_unequal(Speeds{0.1, 0.1, 0.3}));
  EXPECT_FALSE(are_unequal(Speeds{1, 1.04}));
  EXPECT_FALSE(are_unequal(Speeds{}));
}

using Speeds = std::vector<double>;

Heterogeneous heterogeneous_of(const RunTimes& run, const Speeds& speeds, double reference_speed) {
  return heterogeneous(run.ranks, run.run_s, speeds, reference_speed);
}

TEST(VirtualProcessors, CountsInReferences) {
  EXPECT_DOUBLE_EQ(virtual_processors(Speeds{1, 1, 3}, 1), 5);
  EXPECT_NEAR(virtual_processors(Speeds{1, 1, 3}, 3), 5.0 / 3, 1e-15);
  EXPECT_DOUBLE_EQ(virtual_processors(Speeds{2, 2}, 2), 2);
}

TEST(VirtualProcessors, RefusesInvalidSpeeds) {
  EXPECT_THAT(
      error_of([] {
        (void)virtual_processors(Speeds{1, 0}, 1);
      }),
      testing::StrEq("a speed is 0 (speeds are positive numbers); give the speed of each rank, in any unit"));
  EXPECT_THAT(error_of([] {
                (void)virtual_processors(Speeds{1, 1}, 0);
              }),
              testing::StartsWith("a speed is 0"));
  EXPECT_THAT(error_of([] { (void)virtual_processors(Speeds{-1}, 1); }),
              testing::StartsWith("a speed is -1"));
}

TEST(Heterogeneous, EqualSpeedsAreTheOrdinaryEfficiency) {
  const Heterogeneous figures = heterogeneous_of(made_run(10, {{9, 1, 0, 0}, {7, 3, 0, 0}}), Speeds{4, 4}, 4);
  EXPECT_DOUBLE_EQ(figures.virtual_processors, 2);
  EXPECT_DOUBLE_EQ(figures.efficiency, 0.8);
}

TEST(Heterogeneous, WeighsTheFastProcessorsTime) {
  const Heterogeneous figures =
      heterogeneous_of(made_run(10, {{10, 0, 0, 0}, {5, 5, 0, 0}}), Speeds{1, 3}, 1);
  EXPECT_DOUBLE_EQ(figures.sequential_s, 25);
  EXPECT_DOUBLE_EQ(figures.speedup, 2.5);
  EXPECT_DOUBLE_EQ(figures.efficiency, 0.625);
}

TEST(Heterogeneous, NeedsASpeedForEachRank) {
  EXPECT_THAT(error_of([] {
                (void)heterogeneous_of(made_run(10, {{10, 0, 0, 0}}), Speeds{1, 3}, 1);
              }),
              testing::StartsWith("there are 2 speeds and 1 ranks"));
}

}  // namespace
}  // namespace loadshare::granularity::test
