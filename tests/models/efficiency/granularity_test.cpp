#include "models/efficiency/granularity.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "tests/models/efficiency/made_runs.hpp"

namespace loadshare::granularity::test {
namespace {

TEST(Granularity, IsComputingDividedByLosses) {
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

TEST(Granularity, HasNoPaperFormWithoutSeparateIdleTime) {
  EXPECT_FALSE(granularities({6, 2, 0, 2}, false).communication);
  EXPECT_DOUBLE_EQ(*granularities({6, 2, 0, 2}, false).without_stolen, 3);
}

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

TEST(Balance, CountsARankForItsTimeOfPresence) {
  RunTimes run = made_run(10, {{8, 0, 2, 0}, {2, 0, 0, 0}});
  EXPECT_THROW(require_sound(run), UsageError) << "its 2 s are not the run's 10";
  run.ranks[1].away_s = 8;
  require_sound(run);
  const Balance whole = balance(run);
  EXPECT_DOUBLE_EQ(whole.communication_efficiency, 1) << "it computed throughout its stay";
  EXPECT_DOUBLE_EQ(whole.load_balance, 10.0 / 12);
  EXPECT_DOUBLE_EQ(factors(run).efficiency(), 10.0 / 12);
}

TEST(Balance, IsEvenIfNoRankComputes) {
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

TEST(Account, ClosesWithinOnePercent) {
  EXPECT_NO_THROW(require_sound(made_run(10, {{9, 1, 0, 0}})));
  EXPECT_NO_THROW(require_sound(made_run(100, {{90, 9.01, 0, 0}})));
  EXPECT_NO_THROW(require_sound(made_run(100, {{90, 10.99, 0, 0}})));
}

TEST(Account, TimesThatDoNotAddUpAreRefusedWithTheGap) {
  EXPECT_EQ(error_of([] {
              require_sound(made_run(10, {{9, 1, 0, 0}, {9, 0.5, 0, 0}}), "runs.jsonl:3: ");
            }),
            "runs.jsonl:3: the times of rank 1 add up to 95.00 % of the run time, not to 100 "
            "% (a difference of 1 % is allowed; every figure would be wrong by as much); run it again");
  EXPECT_THAT(error_of([] {
                require_sound(made_run(10, {{9, 1, 0.2, 0}}));
              }),
              testing::HasSubstr("add up to 102.00 % of the run time"));
}

TEST(Account, NeedsALength) {
  EXPECT_THAT(error_of([] { require_sound(made_run(0, {{}})); }), testing::HasSubstr("the run time is 0 s"));
  EXPECT_THAT(error_of([] { require_sound(made_run(-1, {{}})); }),
              testing::HasSubstr("the run time is -1 s"));
  EXPECT_THAT(error_of([] { require_sound(made_run(1, {})); }), testing::HasSubstr("the run has no ranks"));
}

TEST(Account, NeedsValidTimes) {
  EXPECT_THAT(error_of([] {
                require_sound(made_run(1, {{1.5, -0.5, 0, 0}}));
              }),
              testing::HasSubstr("a time of rank 0 is -0.5 s"));
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(error_of([] {
                require_sound(made_run(1, {{nan, 1, 0, 0}}));
              }),
              testing::HasSubstr("a time of rank 0 is nan s"));
}

TEST(Account, NeedsEachRankOnce) {
  RunTimes run = made_run(1, {{1, 0, 0, 0}, {1, 0, 0, 0}});
  run.ranks[1].rank = 0;
  EXPECT_THAT(error_of([&] { require_sound(run); }), testing::HasSubstr("rank 0 appears twice"));
}

TEST(Account, ReportsItsWidestGapWithItsSign) {
  EXPECT_NEAR(widest_account_gap(made_run(100, {{99.5, 0, 0, 0}, {100.75, 0, 0, 0}})), -0.0075, 1e-12);
  EXPECT_NEAR(widest_account_gap(made_run(100, {{99.1, 0, 0, 0}, {100.75, 0, 0, 0}})), 0.009, 1e-12);
}

TEST(Factors, AreThoseOfPopWithoutStolenTime) {
  const RunTimes run = made_run(10, {{8, 1, 1, 0}, {4, 1, 5, 0}});
  const Factors all = factors(run);
  EXPECT_DOUBLE_EQ(all.load_balance, balance(run).load_balance);
  EXPECT_DOUBLE_EQ(all.communication, balance(run).communication_efficiency);
  EXPECT_DOUBLE_EQ(*all.serialisation, 16.0 / 18);  // of 6 s idle, 4 for unequal computing
  EXPECT_DOUBLE_EQ(*all.transfer, 18.0 / 20);
  EXPECT_DOUBLE_EQ(all.processor, 1);
}

/// A farm gives a loaded host less to compute: no rank waits, and imbalance costs no time.
TEST(Factors, StolenTimeIsNotImbalance) {
  const Factors all = factors(made_run(10, {{10, 0, 0, 0}, {5, 0, 0, 5}}));
  EXPECT_DOUBLE_EQ(all.load_balance, 1);
  EXPECT_DOUBLE_EQ(all.processor, 0.75);
}

TEST(Factors, HaveTheEfficiencyAsTheirProduct) {
  std::mt19937 random(7);
  for (int i = 0; i < 200; ++i) {
    RunTimes run = random_run(random);
    run.tells_idle = i % 3 != 0;
    const Factors all = factors(run);
    const Totals sum = totals(run);
    EXPECT_NEAR(all.efficiency(), sum.computing_s / sum.all_s(), 1e-9);
    for (const double factor : {all.load_balance, all.communication, all.processor}) {
      EXPECT_GE(factor, 0);
      EXPECT_LE(factor, 1 + 1e-12);
    }
    EXPECT_EQ(all.transfer.has_value(), run.tells_idle);
    if (run.tells_idle) {
      EXPECT_NEAR(*all.serialisation * *all.transfer, all.communication, 1e-9);
    }
  }
}

TEST(Factors, HaveZeroEfficiencyWithoutComputing) {
  const Factors all = factors(made_run(10, {{0, 10, 0, 0}, {0, 0, 10, 0}}));
  EXPECT_DOUBLE_EQ(all.load_balance, 1);
  EXPECT_DOUBLE_EQ(all.efficiency(), 0);
}

}  // namespace
}  // namespace loadshare::granularity::test
