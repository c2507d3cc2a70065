#include "models/efficiency/figures.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <set>

#include "base/statistics.hpp"
#include "tests/models/efficiency/made_runs.hpp"

namespace loadshare::granularity::test {
namespace {

TEST(Figures, OneRankThatOnlyComputesHasNoLosses) {
  const Figures figures = figures_of(made_run(10, {{10, 0, 0, 0}}));
  EXPECT_TRUE(std::isinf(*figures.granularity));
  EXPECT_DOUBLE_EQ(*figures.efficiency, 1);
  EXPECT_DOUBLE_EQ(*figures.speedup, 1);
  EXPECT_DOUBLE_EQ(*figures.parallel_efficiency, 1);
  EXPECT_DOUBLE_EQ(*figures.overhead_s, 0);
}

TEST(Figures, ARunThatComputesNothingHasZeroEfficiency) {
  const Figures figures = figures_of(made_run(10, {{0, 10, 0, 0}, {0, 0, 10, 0}}));
  EXPECT_DOUBLE_EQ(*figures.granularity, 0);
  EXPECT_DOUBLE_EQ(*figures.efficiency, 0);
  EXPECT_DOUBLE_EQ(*figures.parallel_efficiency, 0);
}

TEST(Figures, ARunWithoutTimesIsRefused) {
  EXPECT_THAT(error_of([] {
                (void)figures_of(made_run(0, {{0, 0, 0, 0}}));
              }),
              testing::HasSubstr("the run time is 0 s"));
}

TEST(Figures, StolenTimeLowersTheEfficiencyAndIsShown) {
  const Figures figures = figures_of(made_run(10, {{6, 1, 1, 2}, {6, 1, 1, 2}}));
  EXPECT_DOUBLE_EQ(*figures.efficiency, 0.6);
  EXPECT_DOUBLE_EQ(*figures.efficiency_without_stolen, 0.75);
  EXPECT_DOUBLE_EQ(*figures.stolen, 0.2);
}

TEST(Figures, IdleIsUnknownIfItIsNotRecordedSeparately) {
  RunTimes run = made_run(10, {{6, 4, 0, 0}});
  run.tells_idle = false;
  const Figures figures = figures_of(run);
  EXPECT_FALSE(figures.idle_s);
  EXPECT_FALSE(figures.granularity_communication);
  EXPECT_DOUBLE_EQ(*figures.granularity, 1.5);
}

TEST(Figures, ClassicalFiguresExistForEachGivenReference) {
  Knowledge knowledge;
  knowledge.sequential = {16, {}, 20};
  knowledge.speed_source = SpeedSource::given;
  knowledge.given_speeds = {1, 3};
  const Figures figures = figures_of(made_run(10, {{10, 0, 0, 0}, {10, 0, 0, 0}}), knowledge);
  EXPECT_DOUBLE_EQ(*figures.classical[0].efficiency, 0.8);
  EXPECT_FALSE(figures.classical[1].efficiency);
  EXPECT_DOUBLE_EQ(*figures.classical[2].efficiency, 1);
  EXPECT_DOUBLE_EQ(*figures.classical[2].efficiency_h, 0.5);
  EXPECT_DOUBLE_EQ(*figures.efficiency_h, 1);
  EXPECT_DOUBLE_EQ(*figures.classical[0].relative_difference, 0.25);
  EXPECT_DOUBLE_EQ(*figures.classical[2].relative_difference_h, 1);
}

TEST(Figures, TheReferencesSpeedSetsTheVirtualProcessors) {
  Knowledge knowledge;
  knowledge.speed_source = SpeedSource::given;
  knowledge.given_speeds = {1, 3};
  const RunTimes run = made_run(10, {{10, 0, 0, 0}, {10, 0, 0, 0}});
  EXPECT_DOUBLE_EQ(*figures_of(run, knowledge).virtual_processors, 4);
  knowledge.reference_speed = 3;
  EXPECT_NEAR(*figures_of(run, knowledge).virtual_processors, 4.0 / 3, 1e-15);
  knowledge.given_speeds = {1};
  EXPECT_THAT(error_of([&] { (void)figures_of(run, knowledge); }),
              testing::StartsWith("there are 1 speeds and 2 ranks"));
}

TEST(Figures, UnequalQuotasAreComparedWithTheHostThatRanAlone) {
  RunTimes run = made_run(10, {{10, 0, 0, 0}, {5, 0, 5, 0}});
  run.ranks[0].capacity = 0.1;
  run.ranks[1].capacity = 0.3;
  Knowledge knowledge;
  knowledge.speed_source = SpeedSource::quota;
  knowledge.reference_speed = 0.1;
  knowledge.sequential.relative_s = 20;  // less than the 25 s that the ranks computed for the reference
  const Figures figures = figures_of(run, knowledge);
  EXPECT_NEAR(*figures.virtual_processors, 4, 1e-12);
  EXPECT_NEAR(*figures.efficiency_h, 0.625, 1e-12);
  EXPECT_NEAR(*figures.classical[2].efficiency_h, 0.5, 1e-12);
  EXPECT_NEAR(*figures.classical[2].relative_difference_h, 0.25, 1e-12);
}

TEST(Figures, FiguresOfARankAreThoseOfItsShare) {
  const auto ranks = figures_of_ranks(made_run(10, {{8, 1, 1, 0}, {4, 2, 3, 1}}));
  ASSERT_EQ(ranks.size(), 2U);
  EXPECT_DOUBLE_EQ(*ranks[0].granularity, 4);
  EXPECT_DOUBLE_EQ(*ranks[1].efficiency, 0.4);
  EXPECT_DOUBLE_EQ(*ranks[1].load_balance, 0.5);
  EXPECT_DOUBLE_EQ(*ranks[1].communication_efficiency, 0.4);
  EXPECT_DOUBLE_EQ(*ranks[1].stolen, 0.1);
  EXPECT_DOUBLE_EQ(*ranks[1].processors, 1);
}

TEST(Figures, TheirKeysAreDistinct) {
  std::set<std::string> keys;
  for (const FigureEntry& entry : figure_table()) EXPECT_TRUE(keys.insert(entry.key).second) << entry.key;
  EXPECT_TRUE(keys.contains("G") && keys.contains("E_relative"));
}

TEST(Spread, HasMedianAndRangeOfEachFigure) {
  std::vector<Figures> runs;
  for (const double computing_s : {9.0, 5.0, 8.0})
    runs.push_back(figures_of(made_run(10, {{computing_s, 10 - computing_s, 0, 0}})));
  const Spread spread = spread_of(runs);
  EXPECT_DOUBLE_EQ(*spread.median.efficiency, 0.8);
  EXPECT_DOUBLE_EQ(*spread.least.efficiency, 0.5);
  EXPECT_DOUBLE_EQ(*spread.most.efficiency, 0.9);
  EXPECT_DOUBLE_EQ(*spread.median.run_s, 10);
  EXPECT_FALSE(spread.median.virtual_processors);
}

TEST(Spread, CoversFiguresOfAllRuns) {
  Knowledge sequential;
  sequential.sequential.relative_s = 5;
  const RunTimes run = made_run(10, {{10, 0, 0, 0}});
  const Spread spread = spread_of(std::vector<Figures>{figures_of(run), figures_of(run, sequential)});
  EXPECT_FALSE(spread.median.classical[2].speedup);
  EXPECT_TRUE(std::isinf(*spread.median.granularity));
}

TEST(Spread, ComparesTheMedians) {
  Knowledge knowledge;
  knowledge.sequential.relative_s = 8;
  std::vector<Figures> runs;
  for (const auto& [run_s, computing_s] : {std::pair(10.0, 5.0), std::pair(20.0, 18.0), std::pair(16.0, 4.0)})
    runs.push_back(figures_of(made_run(run_s, {{computing_s, run_s - computing_s, 0, 0}}), knowledge));
  const Figures median = spread_of(runs).median;
  const ClassicalFigures& relative = median.classical[2];
  EXPECT_DOUBLE_EQ(*median.efficiency, 0.5);    // of 0.5, 0.9 and 0.25
  EXPECT_DOUBLE_EQ(*relative.efficiency, 0.5);  // of 0.8, 0.4 and 0.5: run by run the median is -0.25
  EXPECT_DOUBLE_EQ(*relative.difference, 0);
  EXPECT_DOUBLE_EQ(*relative.relative_difference, 0);
}

TEST(Spread, NeedsAtLeastOneRun) {
  EXPECT_FALSE(error_of([] { (void)spread_of({}); }).empty());
}

}  // namespace
}  // namespace loadshare::granularity::test
