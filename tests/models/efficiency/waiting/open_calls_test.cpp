#include "models/efficiency/waiting/open_calls.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/efficiency/waiting/accounts.hpp"
#include "tests/models/efficiency/waiting/profile_builder.hpp"

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

TEST(OpenCall, AWildcardReceiveWithoutASenderWaitsToTheEnd) {
  ProfileBuilder run(2);
  const EventId call = run.call(0, CallId::Recv, {10, 100});
  EXPECT_EQ(state_of(ended_in_calls(run, {0}), call), WaitState::late_sender);
}

TEST(OpenCall, AReceiveWaitsUntilItsMessageWasSent) {
  ProfileBuilder run(2);
  run.call(0, CallId::Recv, {10, 100}, {.peer = 1, .tag = 4});
  run.call(1, CallId::Send, {60, 100}, {.peer = 0, .tag = 4, .bytes = 1 << 20});
  const profile::Profile profile = ended_in_calls(run, {0, 1});
  EXPECT_DOUBLE_EQ(account(profile).ranks[0].idle_s, 50e-9);
  EXPECT_DOUBLE_EQ(account(profile).ranks[1].idle_s, 0);
}

TEST(OpenCall, ASendWithoutAReceiverWaitsToTheEnd) {
  ProfileBuilder run(2);
  const EventId call = run.call(0, CallId::Ssend, {10, 100}, {.peer = 1, .tag = 4});
  EXPECT_EQ(state_of(ended_in_calls(run, {0}), call), WaitState::late_receiver);
}

TEST(OpenCall, AWaitIsForTheActiveReceive) {
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

double idle_s(const profile::Profile& profile, std::size_t rank = 0) {
  return account(profile).ranks[rank].idle_s;
}

constexpr std::uint64_t gib = 1 << 30;

TEST(OpenCall, APartnerWithMissingCallsProvesNothing) {
  const auto waiting_for_1 = [](CallId call, Envelope envelope) {
    ProfileBuilder run(3);
    run.call(0, call, {10, 100}, envelope);
    return ended_in_calls(run, {0});
  };
  const std::vector<profile::Profile> recorded{
      waiting_for_1(CallId::Recv, {.peer = 1, .tag = 4}),     waiting_for_1(CallId::Recv, {}),
      waiting_for_1(CallId::Ssend, {.peer = 1, .tag = 4}),    waiting_for_1(CallId::Barrier, {}),
      waiting_for_1(CallId::Sendrecv, {.peer = 1, .tag = 4}), waiting_for_1(CallId::Win_start, {})};
  for (const profile::Profile& all : recorded) {
    EXPECT_DOUBLE_EQ(idle_s(all), 90e-9);
    profile::Profile over_the_limit = all;
    over_the_limit.ranks[1].events_dropped = 1;
    EXPECT_DOUBLE_EQ(idle_s(over_the_limit), 0);
    profile::Profile of_threads = all;
    of_threads.ranks[1].calls_of_other_threads = 1;
    EXPECT_DOUBLE_EQ(idle_s(of_threads), 0);
    profile::Profile missing = all;
    missing.ranks.erase(missing.ranks.begin() + 1);
    EXPECT_DOUBLE_EQ(idle_s(missing), 0);
  }
}

TEST(OpenCall, ANamedPartnerIsEnough) {
  ProfileBuilder run(3);
  run.call(0, CallId::Recv, {10, 100}, {.peer = 1, .tag = 4});
  profile::Profile profile = ended_in_calls(run, {0});
  profile.ranks[2].events_dropped = 1;
  EXPECT_DOUBLE_EQ(idle_s(profile), 90e-9);
}

TEST(OpenCall, AReceiveOfAnyWaitsUntilOneWasSent) {
  for (const Envelope& any : {Envelope{}, Envelope{.peer = 1}, Envelope{.tag = 4}}) {
    ProfileBuilder run(2);
    run.call(0, CallId::Recv, {10, 100}, any);
    run.call(1, CallId::Send, {60, 100}, {.peer = 0, .tag = 4, .bytes = gib});
    const profile::Profile profile = ended_in_calls(run, {0, 1});
    EXPECT_DOUBLE_EQ(idle_s(profile, 0), 50e-9);
    EXPECT_DOUBLE_EQ(idle_s(profile, 1), 0);
  }
}

TEST(OpenCall, AReceiveOfAnotherTagContinuesToWait) {
  ProfileBuilder run(2);
  run.call(0, CallId::Recv, {10, 100}, {.tag = 5});
  run.call(1, CallId::Send, {60, 100}, {.peer = 0, .tag = 4, .bytes = gib});
  const profile::Profile profile = ended_in_calls(run, {0, 1});
  EXPECT_DOUBLE_EQ(idle_s(profile, 0), 90e-9);
  EXPECT_DOUBLE_EQ(idle_s(profile, 1), 40e-9);
}

TEST(OpenCall, AProbeWaitsUntilItsMessageWasSent) {
  ProfileBuilder run(2);
  run.call(0, CallId::Probe, {10, 100}, {.peer = 1, .tag = 4});
  run.call(1, CallId::Send, {60, 100}, {.peer = 0, .tag = 4, .bytes = gib});
  EXPECT_DOUBLE_EQ(idle_s(ended_in_calls(run, {0, 1})), 50e-9);
}

TEST(OpenCall, AWaitOnAnActiveReceiveWaitsUntilItsMessageWasSent) {
  ProfileBuilder run(2);
  run.start(0, CallId::Irecv, {1, 2}, {.peer = 1, .tag = 4});
  run.call(0, CallId::Wait, {10, 100});
  run.start(1, CallId::Isend, {20, 21}, {.peer = 0, .tag = 4, .bytes = gib});
  run.call(1, CallId::Wait, {21, 100});
  const profile::Profile profile = ended_in_calls(run, {0, 1});
  EXPECT_DOUBLE_EQ(idle_s(profile, 0), 10e-9);
  EXPECT_DOUBLE_EQ(idle_s(profile, 1), 0);
}

TEST(OpenCall, AWaitIgnoresCompletedRequests) {
  ProfileBuilder run(2);
  run.start(0, CallId::Irecv, {1, 2}, {.peer = 1, .tag = 4});
  run.start(0, CallId::Irecv, {2, 3}, {.peer = 1, .tag = 5});
  run.call(0, CallId::Waitall, {10, 100});
  run.call(1, CallId::Send, {20, 50}, {.peer = 0, .tag = 4, .bytes = gib});
  EXPECT_DOUBLE_EQ(idle_s(ended_in_calls(run, {0})), 60e-9);  // the other one moved for 30
}

TEST(OpenCall, AWaitOnABarrierIsForItsMembers) {
  ProfileBuilder run(2);
  run.start(0, CallId::Ibarrier, {1, 2});
  const EventId call = run.call(0, CallId::Wait, {10, 100});
  EXPECT_EQ(state_of(ended_in_calls(run, {0}), call), WaitState::late_member);
  run.start(1, CallId::Ibarrier, {30, 31});
  EXPECT_DOUBLE_EQ(idle_s(ended_in_calls(run, {0})), 20e-9);
}

TEST(OpenCall, AWaitOnASendIsNotForAReceivePostedBefore) {
  ProfileBuilder run(2);
  run.start(0, CallId::Irecv, {1, 2}, {.peer = 1, .tag = 4});
  run.start(0, CallId::Isend, {2, 3}, {.peer = 1, .tag = 4, .bytes = gib});
  const EventId call = run.call(0, CallId::Wait, {10, 100});
  EXPECT_EQ(state_of(ended_in_calls(run, {0}), call), WaitState::late_receiver);
  run.call(1, CallId::Recv, {30, 100}, {.peer = 0, .tag = 4});
  EXPECT_DOUBLE_EQ(idle_s(ended_in_calls(run, {0, 1})), 20e-9);
}

TEST(OpenCall, AShortSendDoesNotWait) {
  ProfileBuilder run(2);
  run.start(0, CallId::Irecv, {1, 2}, {.peer = 1, .tag = 4});
  run.start(0, CallId::Isend, {2, 3}, {.peer = 1, .tag = 4, .bytes = 8});
  const EventId call = run.call(0, CallId::Wait, {10, 100});
  EXPECT_EQ(state_of(ended_in_calls(run, {0}), call), WaitState::late_sender);
}

TEST(OpenCall, AnExchangeWaitsUntilAPartnerArrives) {
  ProfileBuilder run(2);
  run.call(0, CallId::Sendrecv, {10, 100}, {.peer = 1, .tag = 4, .bytes = gib});
  EXPECT_DOUBLE_EQ(idle_s(ended_in_calls(run, {0})), 90e-9);
  run.call(1, CallId::Sendrecv, {60, 100}, {.peer = 0, .tag = 4, .bytes = gib});
  const profile::Profile profile = ended_in_calls(run, {0, 1});
  EXPECT_DOUBLE_EQ(idle_s(profile, 0), 50e-9);
  EXPECT_DOUBLE_EQ(idle_s(profile, 1), 0);
}

TEST(OpenCall, AnExchangeMayMoveItsMessageMeanwhile) {
  ProfileBuilder run(2);
  run.call(0, CallId::Sendrecv, {10, 100}, {.peer = 1, .tag = 4, .bytes = gib});
  run.call(1, CallId::Recv, {30, 70}, {.peer = 0, .tag = 4});
  EXPECT_DOUBLE_EQ(idle_s(ended_in_calls(run, {0})), 50e-9);
}

TEST(OpenCall, ABroadcastWaitsForItsRootOnly) {
  ProfileBuilder run(3);
  run.call(1, CallId::Bcast, {10, 100}, {.peer = 0, .bytes = gib});
  const EventId call{1, 0};
  EXPECT_EQ(state_of(ended_in_calls(run, {1}), call), WaitState::late_root);
  run.call(0, CallId::Bcast, {30, 100}, {.peer = 0, .bytes = gib});
  EXPECT_DOUBLE_EQ(idle_s(ended_in_calls(run, {0, 1}), 1), 20e-9);
}

TEST(OpenCall, AScanWaitsForLowerRanksOnly) {
  ProfileBuilder run(3);
  run.call(1, CallId::Scan, {10, 100});
  EXPECT_DOUBLE_EQ(idle_s(ended_in_calls(run, {1}), 1), 90e-9);
  run.call(0, CallId::Scan, {30, 100});
  EXPECT_DOUBLE_EQ(idle_s(ended_in_calls(run, {0, 1}), 1), 20e-9);
}

TEST(OpenCall, AFileOrAGroupWaitsToTheEndForAMissingRank) {
  for (const CallId call : {CallId::File_open, CallId::File_write_at_all, CallId::Comm_free}) {
    ProfileBuilder run(3);
    run.call(0, call, {10, 100});
    run.call(1, call, {30, 100});
    const profile::Profile profile = ended_in_calls(run, {0, 1});
    EXPECT_DOUBLE_EQ(idle_s(profile, 0), 90e-9);
    EXPECT_DOUBLE_EQ(idle_s(profile, 1), 70e-9);
    EXPECT_DOUBLE_EQ(all_untold_s(profile), 0);
  }
}

TEST(OpenCall, MembersWithMissingCallsLeaveTheRestUnknown) {
  for (const CallId call : {CallId::File_open, CallId::Barrier, CallId::Scan}) {
    ProfileBuilder run(3);
    run.call(1, call, {10, 100});
    run.call(0, call, {30, 100});
    profile::Profile profile = ended_in_calls(run, {0, 1});
    profile.ranks[2].events_dropped = 1;
    EXPECT_DOUBLE_EQ(idle_s(profile, 1), 20e-9);
    EXPECT_DOUBLE_EQ(all_untold_s(profile), (70 + 70) * 1e-9);
  }
}

TEST(OpenCall, AStartedCollectiveWithMissingCallsIsUnknown) {
  ProfileBuilder run(3);
  for (const int rank : {0, 1}) {
    run.start(rank, CallId::Ibarrier, {1, 2});
    run.call(rank, CallId::Wait, {10, 100});
  }
  profile::Profile profile = ended_in_calls(run, {0, 1});
  EXPECT_DOUBLE_EQ(all_untold_s(profile), 0);
  profile.ranks[2].events_dropped = 1;
  EXPECT_DOUBLE_EQ(all_untold_s(profile), 180e-9);
}

TEST(OpenCall, AFlushMayMoveData) {
  ProfileBuilder run(2);
  run.call(0, CallId::Win_flush, {10, 100});
  EXPECT_DOUBLE_EQ(idle_s(ended_in_calls(run, {0})), 0);
}

}  // namespace
}  // namespace loadshare::waiting
