#include "models/granularity/spread.hpp"

#include <cmath>

#include "tests/models/granularity/made_runs.hpp"

namespace loadshare::granularity::test {
namespace {

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

TEST(Spread, IsOfWhatAllRunsTell) {
  Knowledge sequential;
  sequential.sequential.relative_s = 5;
  const RunTimes run = made_run(10, {{10, 0, 0, 0}});
  const Spread spread = spread_of(std::vector<Figures>{figures_of(run), figures_of(run, sequential)});
  EXPECT_FALSE(spread.median.classical[2].speedup);
  EXPECT_TRUE(std::isinf(*spread.median.granularity));
}

TEST(Spread, ComparesTheMediansThatStandBesideEachOther) {
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

TEST(Spread, MedianOfAnEvenNumberIsBetween) {
  EXPECT_DOUBLE_EQ(median_of({4, 1, 3, 2}), 2.5);
  EXPECT_DOUBLE_EQ(median_of({7}), 7);
  EXPECT_FALSE(error_of([] { (void)median_of({}); }).empty());
  EXPECT_FALSE(error_of([] { (void)spread_of({}); }).empty());
}

TEST(Spread, QuantilesLieBetweenTheValues) {
  EXPECT_DOUBLE_EQ(quantile_of({40, 10, 30, 20, 50}, 0), 10);
  EXPECT_DOUBLE_EQ(quantile_of({40, 10, 30, 20, 50}, 0.9), 46);
  EXPECT_DOUBLE_EQ(quantile_of({40, 10, 30, 20, 50}, 1), 50);
  EXPECT_DOUBLE_EQ(quantile_of({7}, 0.3), 7);
  EXPECT_FALSE(error_of([] { (void)quantile_of({}, 0.5); }).empty());
}

}  // namespace
}  // namespace loadshare::granularity::test
