#include "models/granularity/virtual_processors.hpp"

#include <gmock/gmock.h>

#include "tests/models/granularity/made_runs.hpp"

namespace loadshare::granularity::test {
namespace {

using Speeds = std::vector<double>;

RunTimes with_work(RunTimes run, const std::vector<double>& work) {
  for (std::size_t i = 0; i < work.size(); ++i) run.ranks[i].work = work[i];
  return run;
}

TEST(VirtualProcessors, CountsInReferences) {
  EXPECT_DOUBLE_EQ(virtual_processors(Speeds{1, 1, 3}, 1), 5);
  EXPECT_NEAR(virtual_processors(Speeds{1, 1, 3}, 3), 5.0 / 3, 1e-15);
  EXPECT_DOUBLE_EQ(virtual_processors(Speeds{2, 2}, 2), 2);
}

TEST(VirtualProcessors, RefusesSpeedsThatAreNone) {
  EXPECT_THAT(error_of([] {
                (void)virtual_processors(Speeds{1, 0}, 1);
              }),
              testing::StartsWith("a speed is 0"));
  EXPECT_THAT(error_of([] {
                (void)virtual_processors(Speeds{1, 1}, 0);
              }),
              testing::StartsWith("a speed is 0"));
  EXPECT_THAT(error_of([] { (void)virtual_processors(Speeds{-1}, 1); }),
              testing::StartsWith("a speed is -1"));
}

TEST(MeasuredSpeeds, AreWorkOverComputing) {
  const RunTimes run = with_work(made_run(10, {{8, 2, 0, 0}, {5, 5, 0, 0}}), {80, 150});
  EXPECT_EQ(measured_speeds(run), (Speeds{10, 30}));
}

TEST(MeasuredSpeeds, AreNotKnownOfARankThatDidNothing) {
  EXPECT_FALSE(measured_speeds(with_work(made_run(10, {{8, 2, 0, 0}, {5, 5, 0, 0}}), {80})));
  EXPECT_FALSE(measured_speeds(with_work(made_run(10, {{8, 2, 0, 0}, {0, 10, 0, 0}}), {80, 1})));
  EXPECT_FALSE(measured_speeds(with_work(made_run(10, {{8, 2, 0, 0}}), {0})));
}

TEST(Heterogeneous, EqualSpeedsAreTheOrdinaryEfficiency) {
  const Heterogeneous figures = heterogeneous(made_run(10, {{9, 1, 0, 0}, {7, 3, 0, 0}}), Speeds{4, 4}, 4);
  EXPECT_DOUBLE_EQ(figures.virtual_processors, 2);
  EXPECT_DOUBLE_EQ(figures.efficiency, 0.8);
}

TEST(Heterogeneous, WeighsTheFastProcessorsTime) {
  const Heterogeneous figures = heterogeneous(made_run(10, {{10, 0, 0, 0}, {5, 5, 0, 0}}), Speeds{1, 3}, 1);
  EXPECT_DOUBLE_EQ(figures.sequential_s, 25);
  EXPECT_DOUBLE_EQ(figures.speedup, 2.5);
  EXPECT_DOUBLE_EQ(figures.efficiency, 0.625);
}

TEST(Heterogeneous, NeedsASpeedForEachRank) {
  EXPECT_THAT(error_of([] {
                (void)heterogeneous(made_run(10, {{10, 0, 0, 0}}), Speeds{1, 3}, 1);
              }),
              testing::StartsWith("there are 2 speeds for 1 ranks"));
}

}  // namespace
}  // namespace loadshare::granularity::test
