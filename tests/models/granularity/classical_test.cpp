#include "models/granularity/classical.hpp"

#include <gmock/gmock.h>

#include "tests/models/granularity/made_runs.hpp"

namespace loadshare::granularity::test {
namespace {

const RunTimes two = made_run(10, {{9, 1, 0, 0}, {7, 1, 2, 0}});

TEST(Classical, SaysCostAndOverhead) {
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

TEST(Classical, RefusesTimesThatAreNone) {
  for (const double wrong_s : {0.0, -1.0})
    EXPECT_THAT(
        error_of([&] { (void)classical(two, wrong_s); }),
        testing::EndsWith(" s (it must be more than 0) give the seconds that the problem takes on one "
                          "processor"));
}

}  // namespace
}  // namespace loadshare::granularity::test
