#include "models/granularity/balance.hpp"

#include "models/granularity/granularity.hpp"
#include "tests/models/granularity/made_runs.hpp"

namespace loadshare::granularity::test {
namespace {

TEST(Balance, IsMeanOverLargest) {
  const Balance whole = balance(made_run(10, {{8, 1, 1, 0}, {6, 1, 3, 0}, {4, 1, 5, 0}, {2, 1, 7, 0}}));
  EXPECT_DOUBLE_EQ(whole.load_balance, 0.625);
  EXPECT_DOUBLE_EQ(whole.communication_efficiency, 0.8);
}

TEST(Balance, CountsARankThatOnlyCoordinates) {
  const Balance whole = balance(made_run(10, {{0, 1, 9, 0}, {10, 0, 0, 0}}));
  EXPECT_DOUBLE_EQ(whole.load_balance, 0.5);
  EXPECT_DOUBLE_EQ(whole.communication_efficiency, 1);
}

TEST(Balance, IsEvenWhereNobodyComputes) {
  const Balance whole = balance(made_run(10, {{0, 10, 0, 0}, {0, 10, 0, 0}}));
  EXPECT_DOUBLE_EQ(whole.load_balance, 1);
  EXPECT_DOUBLE_EQ(whole.parallel_efficiency(), 0);
}

TEST(Balance, SplitsTheEfficiencyByGranularity) {
  std::mt19937 random(1);
  for (int i = 0; i < 200; ++i) {
    const RunTimes run = random_run(random);
    const double by_granularity = efficiency(*granularities(totals(run), true).all);
    EXPECT_NEAR(balance(run).parallel_efficiency(), by_granularity, 1e-12);
  }
}

}  // namespace
}  // namespace loadshare::granularity::test
