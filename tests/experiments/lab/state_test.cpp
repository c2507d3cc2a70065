#include "experiments/lab/state.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/experiments/lab/sample_lab.hpp"
#include "tests/experiments/yaml/complaint.hpp"

namespace loadshare::lab {
namespace {

using yaml::complaint;

TEST(State, SurvivesTheFile) {
  const LabState before = sample_lab();
  const LabState after = from_json(to_json(before), "state.json");
  EXPECT_EQ(after.plan, before.plan);
  EXPECT_EQ(after.file, before.file);
  EXPECT_EQ(after.is_up, before.is_up);
  EXPECT_EQ(after.users, before.users);
  EXPECT_EQ(after.subnet, before.subnet);
  EXPECT_EQ(after.groups.version, before.groups.version);
  EXPECT_EQ(after.groups.folder, before.groups.folder);
  EXPECT_EQ(to_json(after), to_json(before));
}

TEST(State, KnowsTheLinksBurst) {
  LabState state = sample_lab();
  state.plan.burst_us = 250;
  EXPECT_EQ(from_json(to_json(state), "").plan, state.plan);
}

TEST(State, SharesComeBackToTheLastDigit) {
  LabState state = sample_lab();
  state.plan.hosts[0].share = 1.0 / 3;
  EXPECT_EQ(from_json(to_json(state), "").plan, state.plan);
}

TEST(State, FindsHostsByName) {
  EXPECT_EQ(sample_lab().host("fast"), 1u);
  EXPECT_EQ(complaint([] { sample_lab().host("fats"); }),
            "unknown host 'fats' (valid: slow, fast) did you mean 'fast'?");
}

TEST(State, SaysWhichFileIsNone) {
  try {
    from_json("{}", "/run/x/state.json");
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::StartsWith("/run/x/state.json is no lab's state ("));
  }
}

}  // namespace
}  // namespace loadshare::lab
