#include "models/waiting/open_call.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/waiting/accounts.hpp"
#include "models/waiting/losses.hpp"
#include "tests/models/waiting/profile_builder.hpp"

namespace loadshare::waiting {
namespace {

using profile::CallId;

/// The profile of a run that ended while these ranks were in their last calls.
profile::Profile ended_in_calls(ProfileBuilder& run, std::initializer_list<int> ranks) {
  for (const int rank : ranks) {
    run.rank(rank).has_finalized = false;
    run.rank(rank).ends_in_call = true;
    run.rank(rank).ended_by = "SIGTERM";
  }
  return run.built(100);
}

WaitState state_of(const profile::Profile& profile, EventId call) {
  const Matching matching(profile);
  return wait_of(matching, call.rank, call_at(profile.ranks[call.rank].events, call.event)).state;
}

TEST(OpenCall, AReceiveWithoutASenderWaitsToTheEnd) {
  ProfileBuilder run(2);
  run.call(0, CallId::Recv, {10, 100}, {.peer = 1, .tag = 4});
  const profile::Profile profile = ended_in_calls(run, {0});
  const std::vector<Loss> all = losses(Matching(profile));
  EXPECT_EQ(all.front().state, WaitState::late_sender);
  EXPECT_DOUBLE_EQ(all.front().seconds, 90e-9);
  EXPECT_DOUBLE_EQ(account(profile).ranks[0].idle_s, 90e-9);
}

TEST(OpenCall, OneFromAnyoneDoesToo) {
  ProfileBuilder run(2);
  const EventId call = run.call(0, CallId::Recv, {10, 100});
  EXPECT_EQ(state_of(ended_in_calls(run, {0}), call), WaitState::late_sender);
}

TEST(OpenCall, AReceiveWhoseMessageWasSentWaitsUntilThen) {
  ProfileBuilder run(2);
  run.call(0, CallId::Recv, {10, 100}, {.peer = 1, .tag = 4});
  run.call(1, CallId::Send, {60, 100}, {.peer = 0, .tag = 4, .bytes = 1 << 20});
  const profile::Profile profile = ended_in_calls(run, {0, 1});
  EXPECT_DOUBLE_EQ(account(profile).ranks[0].idle_s, 50e-9);
  EXPECT_DOUBLE_EQ(account(profile).ranks[1].idle_s, 0);
}

TEST(OpenCall, ASendThatNobodyReceivesWaitsToTheEnd) {
  ProfileBuilder run(2);
  const EventId call = run.call(0, CallId::Ssend, {10, 100}, {.peer = 1, .tag = 4});
  EXPECT_EQ(state_of(ended_in_calls(run, {0}), call), WaitState::late_receiver);
}

TEST(OpenCall, AWaitIsForTheReceiveUnderWay) {
  ProfileBuilder run(2);
  run.start(0, CallId::Irecv, {1, 2}, {.peer = 1, .tag = 4});
  const EventId call = run.call(0, CallId::Wait, {10, 100});
  EXPECT_EQ(state_of(ended_in_calls(run, {0}), call), WaitState::late_sender);
}

TEST(OpenCall, ABarrierThatNotAllReachedWaitsToTheEnd) {
  ProfileBuilder run(3);
  run.call(0, CallId::Barrier, {10, 100});
  run.call(1, CallId::Barrier, {30, 100});
  EXPECT_DOUBLE_EQ(account(ended_in_calls(run, {0, 1})).ranks[1].idle_s, 70e-9);
}

}  // namespace
}  // namespace loadshare::waiting
