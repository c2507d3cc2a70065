#include "models/granularity/granularity.hpp"

#include <cmath>

#include "tests/models/granularity/made_runs.hpp"

namespace loadshare::granularity::test {
namespace {

TEST(Granularity, IsComputingOverWhatWasLost) {
  EXPECT_DOUBLE_EQ(*granularity(9, 1), 9);
  EXPECT_DOUBLE_EQ(*granularity(0, 1), 0);
  EXPECT_TRUE(std::isinf(*granularity(9, 0)));
  EXPECT_FALSE(granularity(0, 0));
}

TEST(Granularity, GivesTheEfficiency) {
  EXPECT_DOUBLE_EQ(efficiency(9), 0.9);
  EXPECT_DOUBLE_EQ(efficiency(0), 0);
  EXPECT_DOUBLE_EQ(efficiency(*granularity(9, 0)), 1);
}

TEST(Granularity, CountsStolenTimeAsLost) {
  const Granularities all = granularities({6, 1, 1, 2}, true);
  EXPECT_DOUBLE_EQ(*all.all, 1.5);
  EXPECT_DOUBLE_EQ(*all.without_stolen, 3);
  EXPECT_DOUBLE_EQ(*all.communication, 6);
}

TEST(Granularity, HasNoPaperFormWhereIdleIsNotToldApart) {
  EXPECT_FALSE(granularities({6, 2, 0, 2}, false).communication);
  EXPECT_DOUBLE_EQ(*granularities({6, 2, 0, 2}, false).without_stolen, 3);
}

}  // namespace
}  // namespace loadshare::granularity::test
