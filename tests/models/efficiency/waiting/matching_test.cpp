#include "models/efficiency/waiting/matching.hpp"

#include <gtest/gtest.h>

#include "tests/models/efficiency/waiting/profile_builder.hpp"

namespace loadshare::waiting {
namespace {

using profile::CallId;

/// Origin 0 reaches into targets 1 and 2; target 1 posts at 5, target 2 at 9.
class TwoTargets : public testing::Test {
 protected:
  TwoTargets() {
    start_ = run_.call(0, CallId::Win_start, {1, 10});
    run_.member(0, 1);
    run_.member(0, 2);
    complete_ = run_.call(0, CallId::Win_complete, {20, 22});
    for (const int target : {1, 2}) {
      run_.call(target, CallId::Win_post, {target == 1 ? 5 : 9, 10});
      run_.member(target, 0);
      wait_ = run_.call(target, CallId::Win_wait, {12, 22});
    }
  }

  ProfileBuilder run_{3};
  EventId start_;
  EventId complete_;
  EventId wait_;
};

TEST_F(TwoTargets, TheOriginWaitsForTheLastPost) {
  const auto profile = run_.built(30);
  const Epochs epochs(profile);
  EXPECT_EQ(epochs.latest_partner_ns(start_), 9);
  EXPECT_EQ(epochs.latest_partner_ns(complete_), 9);
}

TEST_F(TwoTargets, ATargetWaitsForTheComplete) {
  const auto profile = run_.built(30);
  EXPECT_EQ(Epochs(profile).latest_partner_ns(wait_), 20);
}

TEST_F(TwoTargets, TheNthStartMeetsTheNthPost) {
  run_.call(1, CallId::Win_post, {40, 41});
  run_.member(1, 0);
  const EventId again = run_.call(0, CallId::Win_start, {30, 42});
  run_.member(0, 1);
  const auto profile = run_.built(50);
  EXPECT_EQ(Epochs(profile).latest_partner_ns(again), 40);
}

TEST_F(TwoTargets, UnsuccessfulTestsDoNotEndAnEpoch) {
  run_.call(1, CallId::Win_post, {40, 41});
  run_.member(1, 0);
  const EventId vain = run_.in_vain(1, CallId::Win_test, {41, 45}, 2);
  const EventId test = run_.call(1, CallId::Win_test, {45, 46});
  run_.call(0, CallId::Win_start, {30, 42});
  run_.member(0, 1);
  run_.call(0, CallId::Win_complete, {44, 45});
  const auto profile = run_.built(50);
  const Epochs epochs(profile);
  EXPECT_EQ(epochs.latest_partner_ns(vain), std::nullopt);
  EXPECT_EQ(epochs.latest_partner_ns(test), 44);
}

TEST(Epochs, WithoutAPartnerHaveNoWaits) {
  ProfileBuilder run(2);
  const EventId start = run.call(0, CallId::Win_start, {1, 2});
  run.member(0, 1);
  const EventId stray = run.call(1, CallId::Win_wait, {1, 2});
  const auto profile = run.built(10);
  const Epochs epochs(profile);
  EXPECT_EQ(epochs.latest_partner_ns(start), std::nullopt);
  EXPECT_EQ(epochs.latest_partner_ns(stray), std::nullopt);
}

EventId in_vain(ProfileBuilder& run, CallId call, std::uint32_t place) {
  const EventId id = run.in_vain(0, call, {1, 2}, 1);
  run.place(0, place);
  return id;
}

EventId success(ProfileBuilder& run, CallId call, std::uint32_t place) {
  const EventId id = run.call(0, call, {2, 3}, {.peer = 0, .tag = 0});
  run.place(0, place);
  return id;
}

TEST(Polling, EndsWithTheNextSuccessOfThatPlace) {
  ProfileBuilder run(1);
  const EventId first = in_vain(run, CallId::Iprobe, 1);
  const EventId elsewhere = in_vain(run, CallId::Iprobe, 2);
  const EventId second = in_vain(run, CallId::Iprobe, 1);
  const EventId found = success(run, CallId::Iprobe, 1);
  const EventId after = in_vain(run, CallId::Iprobe, 1);
  const auto profile = run.built(20);
  const Polling polling(profile);
  EXPECT_EQ(polling.success_of(first), found);
  EXPECT_EQ(polling.success_of(second), found);
  EXPECT_FALSE(polling.success_of(elsewhere));
  EXPECT_FALSE(polling.success_of(after));
}

TEST(Polling, SeparatesCallsOfOnePlace) {
  ProfileBuilder run(1);
  const EventId test = in_vain(run, CallId::Test, 1);
  success(run, CallId::Iprobe, 1);
  EXPECT_FALSE(Polling(run.built(20)).success_of(test));
}

TEST(Polling, IsUnknownForAnUnknownPlace) {
  ProfileBuilder run(1);
  const EventId probe = in_vain(run, CallId::Iprobe, 0);
  success(run, CallId::Iprobe, 0);
  EXPECT_FALSE(Polling(run.built(20)).success_of(probe));
}

TEST(Polling, IsUnknownForATestThatCompletesNothing) {
  ProfileBuilder run(1);
  const EventId test = in_vain(run, CallId::Test, 1);
  run.call(0, CallId::Test, {2, 3});
  run.place(0, 1);
  success(run, CallId::Test, 1);
  EXPECT_FALSE(Polling(run.built(20)).success_of(test));
}

}  // namespace
}  // namespace loadshare::waiting
