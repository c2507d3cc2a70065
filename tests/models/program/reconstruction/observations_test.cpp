#include "models/program/reconstruction/observations.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace loadshare::reconstruction {
namespace {

ProfiledRun run_at(double n, double makespan_s) {
  return {"made", {{"n", n}, {"p", 2}}, makespan_s, {}};
}

TEST(ObservationsTest, FitSecondsOverSettings) {
  const ProfiledRun small = run_at(1000, 1);
  const ProfiledRun large = run_at(4000, 1);
  const Measure measure = measure_seconds(std::vector<Observed>{{&small, 0, 0.1}, {&large, 0, 0.4}});
  EXPECT_NEAR(measure.law.at({{"n", 2000}, {"p", 2}}), 0.2, 1e-9);
  EXPECT_NEAR(measure.share, 0.4, 1e-12);
}

/// Returns the observations of runs of three sizes, each of a second.
Measure measure_of_three(double first, double second, double third) {
  const ProfiledRun small = run_at(1000, 1);
  const ProfiledRun middle = run_at(2000, 1);
  const ProfiledRun large = run_at(4000, 1);
  return measure_seconds(std::vector<Observed>{{&small, 0, first}, {&middle, 0, second}, {&large, 0, third}},
                         scaling::LeastValues::three);
}

TEST(ObservationsTest, KeepNegligibleUnclearTimesConstant) {
  const Measure measure = measure_of_three(1e-5, 9e-5, 2e-5);
  EXPECT_TRUE(measure.is_held_constant);
  EXPECT_EQ(measure.law.text(), "9e-05");
  EXPECT_EQ(deviation_at(measure.singles, 1e-5), 0);
}

TEST(ObservationsTest, LetNegligibleClearTimesGrow) {
  const Measure measure = measure_of_three(1e-6, 4e-6, 16e-6);
  EXPECT_FALSE(measure.is_held_constant);
  EXPECT_NEAR(measure.law.at({{"n", 1e6}, {"p", 2}}), 1, 1e-9);
}

TEST(ObservationsTest, DistinguishRanksFromSingleTimes) {
  const ProfiledRun run = run_at(1000, 1);
  std::vector<Observed> all;
  for (int round = 0; round < 10; ++round)
    for (const std::int32_t rank : {0, 1}) all.push_back({&run, rank, rank == 0 ? 0.01 : 0.02});
  const Measure measure = measure_seconds(all);
  EXPECT_NEAR(deviation_at(measure.singles, 0.015), 0, 1e-12);
  // A third below the mean and a third above, one degree of freedom.
  EXPECT_NEAR(deviation_at(measure.ranks, 0.015), std::sqrt(std::log1p(2.0 / 9)), 1e-5);
}

TEST(ObservationsTest, AddUpTheSharesOfOneRanksRounds) {
  const ProfiledRun run = run_at(1000, 1);
  const Measure measure =
      measure_seconds(std::vector<Observed>{{&run, 0, 0.1}, {&run, 0, 0.2}, {&run, 1, 0.25}});
  EXPECT_NEAR(measure.share, 0.3, 1e-12);
}

TEST(ObservationsTest, MeasureTheScatterOfSingleTimes) {
  const ProfiledRun run = run_at(1000, 1);
  std::vector<Observed> all;
  for (const double deviation : {-2, -1, -1, 0, 0, 0, 1, 1, 2}) all.push_back({&run, 0, 1 + 0.1 * deviation});
  EXPECT_NEAR(deviation_at(measure_seconds(all).singles, 1), std::sqrt(std::log1p(0.12 / 8)), 1e-9);
}

/// Returns observations of runs of a millisecond and of a tenth of a second, both stopped for a millisecond
/// at times.
TEST(ObservationsTest, MeasureTheSmallerScatterOfLongTimes) {
  const ProfiledRun small = run_at(1000, 1);
  const ProfiledRun large = run_at(100000, 1);
  std::vector<Observed> all;
  for (int round = 0; round < 10; ++round)
    for (const std::int32_t rank : {0, 1}) {
      const double stopped_s = round % 2 == 0 ? 1e-3 : 0;
      all.push_back({&small, rank, 1e-3 + stopped_s});
      all.push_back({&large, rank, 0.1 + stopped_s});
    }
  const Measure measure = measure_seconds(all);
  EXPECT_NEAR(deviation_at(measure.singles, 1.5e-3), std::sqrt(std::log1p(1.0 / 9 * 20 / 18)), 0.01);
  EXPECT_LT(deviation_at(measure.singles, 1), 0.01);
  EXPECT_EQ(deviation_at(measure.ranks, 1), 0);
}

/// One in ten steps of a millisecond is stopped for five: a rank that waits for eight others waits for that.
TEST(ObservationsTest, IncludeRareStops) {
  const ProfiledRun run = run_at(1000, 1);
  std::vector<Observed> all;
  for (int round = 0; round < 40; ++round) all.push_back({&run, 0, round % 10 == 0 ? 6e-3 : 1e-3});
  EXPECT_NEAR(deviation_at(measure_seconds(all).singles, 1.5e-3), std::sqrt(std::log1p(40.0 / 39)), 0.01);
}

/// Means of few values that vary differ by chance, and are no sign that one rank is slower than another.
TEST(ObservationsTest, DoNotMistakeChanceForASlowRank) {
  const ProfiledRun run = run_at(1000, 1);
  std::mt19937 random(1);
  std::normal_distribution<double> seconds(0.01, 0.003);
  std::vector<Observed> all;
  for (int round = 0; round < 4; ++round)
    for (std::int32_t rank = 0; rank < 200; ++rank) all.push_back({&run, rank, seconds(random)});
  const Measure measure = measure_seconds(all);
  EXPECT_NEAR(deviation_at(measure.singles, 0.01), 0.3, 0.03);
  EXPECT_LT(deviation_at(measure.ranks, 0.01), 0.08);  // 0.15, if nothing were subtracted
}

}  // namespace
}  // namespace loadshare::reconstruction
