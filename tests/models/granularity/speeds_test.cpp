#include "models/granularity/speeds.hpp"

#include <gmock/gmock.h>

#include "tests/models/granularity/made_runs.hpp"

namespace loadshare::granularity::test {
namespace {

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

TEST(MeasuredSpeeds, AreNotKnownOfARankThatDidNothing) {
  const RunTimes two = made_run(10, {{8, 2, 0, 0}, {5, 5, 0, 0}});
  EXPECT_FALSE(measured_speeds(with_work(two, {80})));
  EXPECT_EQ(ranks_without_speed(with_work(two, {80})), std::vector{1});
  EXPECT_FALSE(measured_speeds(with_work(made_run(10, {{8, 2, 0, 0}, {0, 10, 0, 0}}), {80, 1})));
  EXPECT_FALSE(measured_speeds(with_work(made_run(10, {{8, 2, 0, 0}}), {0})));
}

TEST(QuotaSpeeds, AreWhatTheHostsGrant) {
  RunTimes run = made_run(10, {{8, 2, 0, 0}, {5, 5, 0, 0}});
  run.ranks[0].capacity = 0.1;
  EXPECT_EQ(quota_speeds(run), (Speeds{0.1, 1}));
}

TEST(UnequalSpeeds, DifferByMoreThanFivePercentInWhateverOrder) {
  EXPECT_TRUE(are_unequal(Speeds{2, 1, 3}));  // their mean is that of the first
  EXPECT_TRUE(are_unequal(Speeds{0.1, 0.1, 0.3}));
  EXPECT_FALSE(are_unequal(Speeds{1, 1.04}));
  EXPECT_FALSE(are_unequal(Speeds{}));
}

}  // namespace
}  // namespace loadshare::granularity::test
