#include "models/predictor/availability.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

namespace loadshare::predictor {
namespace {

nlohmann::json golden() {
  std::ifstream file(std::string(LOADSHARE_TEST_DATA) + "/onoff_load.json");
  return nlohmann::json::parse(file);
}

/// The golden load comes on at `phase`; a plan is at its phase when the run begins.
Availability beside_load(double phase) {
  return Availability(LoadPlan::on_off(1, 1, 0.5, std::fmod(2 - phase, 2)));
}

// tests/data/onoff_load.json
TEST(AvailabilityTest, EndsWorkWhenTheGoldenLoadLets) {
  const nlohmann::json rows = golden()["finish_times"];
  ASSERT_EQ(rows.size(), 150);
  for (const auto& row : rows)
    EXPECT_NEAR(beside_load(row["phase"]).finish_s(row["start"], row["work"]), row["finish"], 1e-9) << row;
}

// ditto; a random phase is one of many at equal distances here
TEST(AvailabilityTest, TakesTheGoldenTimeInTheMean) {
  constexpr int phases = 20000;
  const nlohmann::json rows = golden()["mean_duration_uniform_phase"];
  ASSERT_EQ(rows.size(), 14);
  for (const auto& row : rows) {
    double sum_s = 0;
    for (int i = 0; i < phases; ++i) sum_s += beside_load(2.0 * (i + 0.5) / phases).finish_s(0, row["work"]);
    const double mean_s = row["mean_formula"];
    EXPECT_NEAR(sum_s / phases, mean_s, 1e-6 * std::max(1.0, mean_s)) << row;
  }
}

TEST(AvailabilityTest, HoldsTheWorkThatItsEndsSay) {
  const Availability load(LoadPlan::on_off(0.375, 0.25, 0.3, 0.1));
  for (double start_s = 0; start_s < 2; start_s += 0.0625)
    for (const double work_s : {1e-6, 0.01, 0.2, 0.5, 0.5125, 3.0, 1e5})
      EXPECT_NEAR(load.work_s(start_s, load.finish_s(start_s, work_s)), work_s, 1e-9 * std::max(1.0, work_s));
}

TEST(AvailabilityTest, FollowsATraceToItsEnd) {
  const Availability load(LoadPlan::trace({{1, 0.5}, {3, 0}, {4, 0.75}}));
  EXPECT_DOUBLE_EQ(load.finish_s(0, 1), 1);
  EXPECT_DOUBLE_EQ(load.finish_s(0, 1.5), 2);
  EXPECT_DOUBLE_EQ(load.finish_s(0, 3), 4);
  EXPECT_DOUBLE_EQ(load.finish_s(0, 4), 8);
  EXPECT_DOUBLE_EQ(load.mean_rate(), 0.25);
}

TEST(AvailabilityTest, IsAllOfItWithoutALoad) {
  EXPECT_EQ(Availability().finish_s(2, 3), 5);
  EXPECT_EQ(Availability().mean_rate(), 1);
  EXPECT_EQ(Availability(LoadPlan::trace({})).finish_s(2, 3), 5);
}

TEST(AvailabilityTest, GivesAConstantLoadItsPart) {
  const Availability load(LoadPlan::constant(0.6));
  EXPECT_DOUBLE_EQ(load.finish_s(7, 4), 17);
  EXPECT_DOUBLE_EQ(load.mean_rate(), 0.4);
}

TEST(AvailabilityTest, MovesByAPhase) {
  const Availability load = Availability(LoadPlan::on_off(1, 1, 0.5, 0)).shifted(1.5);
  EXPECT_DOUBLE_EQ(load.finish_s(0, 0.75), 1);  // half a second whole, then half of it
  EXPECT_DOUBLE_EQ(load.next_change_s(0), 0.5);
  EXPECT_DOUBLE_EQ(load.rate_at(0.75), 0.5);
}

}  // namespace
}  // namespace loadshare::predictor
