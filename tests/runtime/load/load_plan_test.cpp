#include "runtime/load/load_plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

namespace loadshare {
namespace {

TEST(Share, NeedsTheThreadsOfAFairlySharedProcessor) {
  EXPECT_EQ(threads_for(0), 0);
  EXPECT_EQ(threads_for(0.01), 1);
  EXPECT_EQ(threads_for(0.5), 1);
  EXPECT_EQ(threads_for(0.51), 2);
  EXPECT_EQ(threads_for(2.0 / 3), 2);
  EXPECT_EQ(threads_for(0.75), 3);
  EXPECT_EQ(threads_for(0.9), 9);
  EXPECT_EQ(threads_for(most_load_share), 99);
}

using ::testing::ElementsAre;

std::vector<LoadStep> changes(const LoadPlan& plan, std::size_t count) {
  std::vector<LoadStep> found;
  for (auto next = plan.next_change(-1); next && found.size() < count; next = plan.next_change(next->at_s))
    found.push_back(*next);
  return found;
}

TEST(LoadPlan, AlternatesBetweenOnAndOff) {
  const LoadPlan plan = LoadPlan::on_off(1, 2, 0.5, 0);
  EXPECT_THAT(changes(plan, 5), ElementsAre(LoadStep{0, 0.5}, LoadStep{1, 0}, LoadStep{3, 0.5},
                                            LoadStep{4, 0}, LoadStep{6, 0.5}));
  EXPECT_EQ(plan.share_at(-0.1), 0);
  EXPECT_EQ(plan.share_at(0), 0.5);
  EXPECT_EQ(plan.share_at(0.999), 0.5);
  EXPECT_EQ(plan.share_at(1), 0);
  EXPECT_EQ(plan.share_at(3), 0.5);
}

TEST(LoadPlan, ThePhaseIsThePositionInTheCycleAtTheStart) {
  EXPECT_THAT(changes(LoadPlan::on_off(1, 2, 0.5, 0.75), 3),
              ElementsAre(LoadStep{0, 0.5}, LoadStep{0.25, 0}, LoadStep{2.25, 0.5}));
  EXPECT_THAT(changes(LoadPlan::on_off(1, 2, 0.5, 1.5), 3),
              ElementsAre(LoadStep{0, 0}, LoadStep{1.5, 0.5}, LoadStep{2.5, 0}));
}

TEST(LoadPlan, NoChangeIsSkippedOrFoundTwice) {
  const LoadPlan plan = LoadPlan::on_off(0.1, 0.2, 0.3, 0.07);
  const auto found = changes(plan, 100'000);
  for (std::size_t i = 1; i < found.size(); ++i) {
    ASSERT_EQ(found[i].share, i % 2 == 0 ? 0.3 : 0) << i;
    ASSERT_NEAR(found[i].at_s - found[i - 1].at_s, i == 1 ? 0.03 : i % 2 == 0 ? 0.2 : 0.1, 1e-9) << i;
  }
}

TEST(LoadPlan, AConstantLoadChangesOnce) {
  EXPECT_THAT(changes(LoadPlan::constant(0.25), 3), ElementsAre(LoadStep{0, 0.25}));
  EXPECT_EQ(LoadPlan::constant(0.25).share_at(1e9), 0.25);
}

TEST(LoadPlan, ATraceBeginsOffAndItsLastStepLasts) {
  const LoadPlan plan = LoadPlan::trace({{0.5, 0.2}, {1, 0.7}, {2, 0}, {3, 0.1}});
  EXPECT_THAT(changes(plan, 9), ElementsAre(LoadStep{0, 0}, LoadStep{0.5, 0.2}, LoadStep{1, 0.7},
                                            LoadStep{2, 0}, LoadStep{3, 0.1}));
  EXPECT_EQ(plan.share_at(100), 0.1);
  EXPECT_EQ(plan.most_share(), 0.7);
}

TEST(LoadPlan, TheDoseIsTheSumOfTheTakenTime) {
  const LoadPlan plan = LoadPlan::trace({{0.5, 0.2}, {1, 0.7}, {2, 0}});
  const LoadPlan::Dose dose = plan.dose(0, 10);
  EXPECT_DOUBLE_EQ(dose.on_s, 1.5);
  EXPECT_DOUBLE_EQ(dose.taken_s, 0.5 * 0.2 + 0.7);
  EXPECT_DOUBLE_EQ(plan.dose(0.75, 1.25).taken_s, 0.25 * 0.2 + 0.25 * 0.7);
  EXPECT_EQ(plan.dose(3, 4).on_s, 0);
  EXPECT_EQ(plan.dose(3, 4).mean_share(), 0);
  EXPECT_EQ(plan.dose(1, 1).on_s, 0);
}

// tests/data/onoff_load.json: there the load comes on at `phase`; here the cycle is at `phase` when the run
// begins.
TEST(LoadPlan, WorkTakesTheIndependentlyComputedTime) {
  std::ifstream file(std::string(LOADSHARE_TEST_DATA) + "/onoff_load.json");
  const auto golden = nlohmann::json::parse(file);
  ASSERT_GT(golden["finish_times"].size(), 100u);
  for (const auto& one : golden["finish_times"]) {
    const LoadPlan plan = LoadPlan::on_off(1, 1, 0.5, std::fmod(2 - one["phase"].get<double>(), 2));
    const double start_s = one["start"], finish_s = one["finish"];
    EXPECT_NEAR(finish_s - start_s - plan.dose(start_s, finish_s).taken_s, one["work"].get<double>(), 1e-9)
        << one;
  }
}

}  // namespace
}  // namespace loadshare
