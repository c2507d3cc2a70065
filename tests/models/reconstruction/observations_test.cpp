#include "models/reconstruction/observations.hpp"

#include <gtest/gtest.h>

#include <cmath>

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

TEST(ObservationsTest, TakeWhatIsNegligibleAsConstant) {
  const ProfiledRun small = run_at(1000, 1);
  const ProfiledRun large = run_at(4000, 1);
  const Measure measure = measure_seconds(std::vector<Observed>{{&small, 0, 1e-5}, {&large, 0, 4e-5}});
  EXPECT_EQ(measure.law.text(), "4e-05");
  EXPECT_EQ(measure.spread, 0);
}

TEST(ObservationsTest, AddUpTheSharesOfOneRanksRounds) {
  const ProfiledRun run = run_at(1000, 1);
  const Measure measure =
      measure_seconds(std::vector<Observed>{{&run, 0, 0.1}, {&run, 0, 0.2}, {&run, 1, 0.25}});
  EXPECT_NEAR(measure.share, 0.3, 1e-12);
}

TEST(ObservationsTest, TellHowSingleOnesScatter) {
  const ProfiledRun run = run_at(1000, 1);
  std::vector<Observed> all;
  for (const double deviation : {-2, -1, -1, 0, 0, 0, 1, 1, 2})
    all.push_back({&run, 0, std::exp(0.1 * deviation)});
  EXPECT_NEAR(measure_seconds(all).spread, 0.1, 1e-9);
}

}  // namespace
}  // namespace loadshare::reconstruction
