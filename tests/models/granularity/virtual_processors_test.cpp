#include "models/granularity/virtual_processors.hpp"

#include <gmock/gmock.h>

#include "tests/models/granularity/made_runs.hpp"

namespace loadshare::granularity::test {
namespace {

using Speeds = std::vector<double>;

Heterogeneous heterogeneous_of(const RunTimes& run, const Speeds& speeds, double reference_speed) {
  return heterogeneous(run.ranks, run.run_s, speeds, reference_speed);
}

TEST(VirtualProcessors, CountsInReferences) {
  EXPECT_DOUBLE_EQ(virtual_processors(Speeds{1, 1, 3}, 1), 5);
  EXPECT_NEAR(virtual_processors(Speeds{1, 1, 3}, 3), 5.0 / 3, 1e-15);
  EXPECT_DOUBLE_EQ(virtual_processors(Speeds{2, 2}, 2), 2);
}

TEST(VirtualProcessors, RefusesSpeedsThatAreNone) {
  EXPECT_THAT(
      error_of([] {
        (void)virtual_processors(Speeds{1, 0}, 1);
      }),
      testing::StrEq("a speed is 0 (speeds are positive numbers) give the speed of each rank, in any unit"));
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
              testing::StartsWith("the speeds are 2 and the ranks 1"));
}

}  // namespace
}  // namespace loadshare::granularity::test
