#include "models/efficiency/waiting/progress.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/efficiency/waiting/accounts.hpp"
#include "models/efficiency/waiting/telling.hpp"
#include "tests/models/efficiency/waiting/profile_builder.hpp"

namespace loadshare::waiting {
namespace {

using profile::CallId;

constexpr std::int64_t ms = s / 1000;
constexpr std::uint64_t large = 4 << 20;
constexpr std::uint64_t medium = 5000;
constexpr std::uint64_t small = 8;

std::int64_t for_progress_ns(const profile::Profile& profile, std::uint32_t rank) {
  return waited_ns(profile, rank, WaitState::late_target);
}

void starts(ProfileBuilder& run, int rank, CallId call, Interval when, int peer, std::uint64_t bytes) {
  run.start(rank, call, when, {.peer = peer, .tag = 0, .bytes = bytes});
}

/// The wait on what the rank started last.
void waits_for_send(ProfileBuilder& run, int rank, Interval when) {
  const std::uint32_t request = run.last_request();
  run.call(rank, CallId::Wait, when);
  run.completed(rank, request);
}
void waits_for_receive(ProfileBuilder& run, int rank, int source, Interval when) {
  const std::uint32_t request = run.last_request();
  run.call(rank, CallId::Wait, when);
  run.received(rank, {.peer = source, .tag = 0}, request);
}

/// Rank 1 posts its receive in [0, 2 ms], computes for 1 s and waits for it; rank 0 sends it from 1 ms on.
ProfileBuilder sent_to_one_who_computes(CallId send, std::uint64_t bytes) {
  ProfileBuilder run(2);
  starts(run, 1, CallId::Irecv, {0, 2 * ms}, 0, bytes);
  waits_for_receive(run, 1, 0, {1002 * ms, 1010 * ms});
  run.call(0, send, {1 * ms, 1009 * ms}, {.peer = 1, .tag = 0, .bytes = bytes});
  return run;
}

TEST(Progress, ASendWaitsWhileItsReceiverComputes) {
  for (const CallId send : {CallId::Send, CallId::Ssend, CallId::Rsend}) {
    const auto profile = sent_to_one_who_computes(send, large).built(2 * s);
    EXPECT_EQ(for_progress_ns(profile, 0), 1 * s);
    EXPECT_EQ(waits_of(Matching(profile), 0).total_ns(), 1 * s);
    EXPECT_DOUBLE_EQ(account(profile).ranks[0].idle_s, 1);
    EXPECT_DOUBLE_EQ(account(profile).ranks[0].communicating_s, 0.008);
    EXPECT_EQ(waits_of(Matching(profile), 1).total_ns(), 0);
    EXPECT_DOUBLE_EQ(all_untold_s(profile), 0);
  }
}

TEST(Progress, ASendThatWaitedAtItsEndWaitsWhileItsReceiverComputes) {
  const auto profile = sent_to_one_who_computes(CallId::Send, medium).built(2 * s);
  EXPECT_EQ(for_progress_ns(profile, 0), 1 * s);
}

TEST(Progress, TheCauseOfALongShortSendIsUnknown) {
  const auto profile = sent_to_one_who_computes(CallId::Send, small).built(2 * s);
  EXPECT_EQ(for_progress_ns(profile, 0), 0);
  EXPECT_DOUBLE_EQ(all_untold_s(profile), 1);
}

/// Rank 0 starts its send in [0, 2 ms], computes for 1 s and waits for it; rank 1 receives from 1 ms on.
ProfileBuilder received_from_one_who_computes(CallId send, std::uint64_t bytes) {
  ProfileBuilder run(2);
  starts(run, 0, send, {0, 2 * ms}, 1, bytes);
  waits_for_send(run, 0, {1002 * ms, 1010 * ms});
  run.call(1, CallId::Recv, {1 * ms, 1009 * ms}, {.peer = 0, .tag = 0, .bytes = bytes});
  return run;
}

TEST(Progress, AReceiveWaitsWhileItsSenderComputes) {
  const auto profile = received_from_one_who_computes(CallId::Isend, large).built(2 * s);
  EXPECT_EQ(for_progress_ns(profile, 1), 1 * s);
  EXPECT_EQ(waits_of(Matching(profile), 1).total_ns(), 1 * s);
  EXPECT_DOUBLE_EQ(all_untold_s(profile), 0);
}

TEST(Progress, AReceiveOfAPossiblyArrivedMessageIsUnknown) {
  for (const std::uint64_t bytes : {small, medium}) {
    const auto profile = received_from_one_who_computes(CallId::Isend, bytes).built(2 * s);
    EXPECT_EQ(for_progress_ns(profile, 1), 0);
    EXPECT_DOUBLE_EQ(all_untold_s(profile), 1);
  }
}

TEST(Progress, ABufferedMessageNeedsItsSenderToo) {
  ProfileBuilder run(2);
  run.call(0, CallId::Bsend, {0, 2 * ms}, {.peer = 1, .tag = 0, .bytes = large});
  run.call(0, CallId::Barrier, {1002 * ms, 1010 * ms});
  run.call(1, CallId::Recv, {1 * ms, 1009 * ms}, {.peer = 0, .tag = 0, .bytes = large});
  run.call(1, CallId::Barrier, {1009 * ms, 1010 * ms});
  EXPECT_EQ(for_progress_ns(run.built(2 * s), 1), 1 * s);
}

/// Rank 0 finishes its send at 4 ms, so it does not delay the receive after that.
TEST(Progress, AFinishedRankIsNotNeeded) {
  ProfileBuilder run(2);
  run.call(0, CallId::Send, {0, 4 * ms}, {.peer = 1, .tag = 0, .bytes = large});
  run.call(0, CallId::Send, {800 * ms, 801 * ms}, {.peer = -1});
  run.call(1, CallId::Recv, {1 * ms, 1000 * ms}, {.peer = 0, .tag = 0, .bytes = large});
  EXPECT_EQ(waits_of(Matching(run.built(2 * s)), 1).total_ns(), 0);
}

/// Time of the receiver in MPI is no waiting for progress, and neither is the time after its last entry.
TEST(Progress, OnlyTimeOutsideMpiCounts) {
  ProfileBuilder run(2);
  starts(run, 1, CallId::Irecv, {0, 100}, 0, large);
  const std::uint32_t request = run.last_request();
  run.call(1, CallId::Send, {200, 250}, {.peer = -1});
  run.call(1, CallId::Wait, {300, 400});
  run.received(1, {.peer = 0, .tag = 0}, request);
  run.call(0, CallId::Send, {50, 390}, {.peer = 1, .tag = 0, .bytes = large});
  EXPECT_EQ(for_progress_ns(run.built(1000), 0), 100 + 50);
}

TEST(Progress, ACallThatEndedBeforeThePartnersArrivalDidNotWait) {
  ProfileBuilder run(2);
  starts(run, 0, CallId::Isend, {0, 2 * ms}, 1, large);
  waits_for_send(run, 0, {1002 * ms, 1010 * ms});
  run.call(1, CallId::Recv, {3 * ms, 5 * ms}, {.peer = 0, .tag = 0, .bytes = large});
  const auto profile = run.built(2 * s);
  EXPECT_EQ(waits_of(Matching(profile), 1).total_ns(), 0);
  EXPECT_DOUBLE_EQ(all_untold_s(profile), 0);
}

/// As the receive of the first message shows its sender is not needed: a second one may have been moving.
TEST(Progress, IsUnknownIfACallEndedWithoutItsPartner) {
  ProfileBuilder run(2);
  starts(run, 0, CallId::Isend, {0, 1 * ms}, 1, large);
  waits_for_send(run, 0, {100 * ms, 101 * ms});
  starts(run, 0, CallId::Isend, {200 * ms, 201 * ms}, 1, large);
  waits_for_send(run, 0, {300 * ms, 301 * ms});
  run.call(1, CallId::Recv, {2 * ms, 5 * ms}, {.peer = 0, .tag = 0, .bytes = large});
  run.call(1, CallId::Recv, {210 * ms, 305 * ms}, {.peer = 0, .tag = 0, .bytes = large});
  const auto profile = run.built(1 * s);
  EXPECT_EQ(for_progress_ns(profile, 1), 0);
  EXPECT_DOUBLE_EQ(all_untold_s(profile), 0.09);
}

TEST(Progress, IsDistinguishedFromALatePartner) {
  ProfileBuilder run(2);
  starts(run, 0, CallId::Isend, {500, 510}, 1, large);
  waits_for_send(run, 0, {800, 1000});
  run.call(1, CallId::Recv, {100, 990}, {.peer = 0, .tag = 0, .bytes = large});
  const auto profile = run.built(1000);
  EXPECT_EQ(waited_ns(profile, 1, WaitState::late_sender), 400);
  EXPECT_EQ(for_progress_ns(profile, 1), 290);
  const std::vector<Loss> all = losses(Matching(profile));
  ASSERT_GE(all.size(), 2u);
  EXPECT_EQ(all[0].state, WaitState::late_sender);
  EXPECT_DOUBLE_EQ(all[0].seconds, 400e-9);
  EXPECT_EQ(all[1].state, WaitState::late_target);
  EXPECT_DOUBLE_EQ(all[1].seconds, 290e-9);
}

TEST(Progress, StolenTimeIsNoLoss) {
  auto profile = sent_to_one_who_computes(CallId::Send, large).built(2 * s);
  profile.ranks[0].events[0].stolen_ns = profile.ranks[0].stolen_inside_ns = 500 * ms;
  const granularity::RankTimes times = account(profile).ranks[0];
  EXPECT_DOUBLE_EQ(times.idle_s, 1);
  EXPECT_DOUBLE_EQ(times.stolen_s, 0.008);
  EXPECT_DOUBLE_EQ(times.communicating_s, 0);
}

/// Rank 0 waits for its send to rank 1, which computes, and for a message from rank 2 in [100, 300].
TEST(Progress, MovingDataIsNotWaiting) {
  ProfileBuilder run(3);
  starts(run, 0, CallId::Isend, {0, 10}, 1, large);
  starts(run, 0, CallId::Irecv, {10, 20}, 2, large);
  run.call(0, CallId::Waitall, {20, 520});
  run.completed(0, 1);
  run.received(0, {.peer = 2, .tag = 0}, 2);
  starts(run, 1, CallId::Irecv, {0, 10}, 0, large);
  waits_for_receive(run, 1, 0, {500, 520});
  run.call(2, CallId::Send, {0, 300}, {.peer = 0, .tag = 0, .bytes = large});
  EXPECT_EQ(for_progress_ns(run.built(1000), 0), 200);
}

TEST(Progress, UnsuccessfulTestsWaitForProgress) {
  ProfileBuilder run(2);
  starts(run, 0, CallId::Isend, {0, 10}, 1, large);
  run.in_vain(0, CallId::Test, {10, 410}, 200);
  run.place(0, 5);
  run.call(0, CallId::Test, {520, 521});
  run.place(0, 5);
  run.completed(0, run.last_request());
  starts(run, 1, CallId::Irecv, {0, 10}, 0, large);
  waits_for_receive(run, 1, 0, {500, 520});
  EXPECT_EQ(for_progress_ns(run.built(1000), 0), 200);
}

TEST(Progress, ASuccessfulTestDoesNotWaitForProgress) {
  ProfileBuilder run(2);
  starts(run, 0, CallId::Isend, {0, 10}, 1, large);
  run.call(0, CallId::Test, {20, 80});
  run.completed(0, run.last_request());
  starts(run, 1, CallId::Irecv, {0, 10}, 0, large);
  waits_for_receive(run, 1, 0, {50, 80});
  EXPECT_EQ(waits_of(Matching(run.built(1000)), 0).total_ns(), 0);
}

TEST(Progress, IsUnknownIfCallsOfThePartnerAreMissing) {
  auto profile = sent_to_one_who_computes(CallId::Send, large).built(2 * s);
  profile.ranks[1].calls_of_other_threads = 1;
  EXPECT_EQ(waits_of(Matching(profile), 0).total_ns(), 0);
}

TEST(Progress, IsAwaitedToTheEndOfAnInterruptedRun) {
  ProfileBuilder run(2);
  starts(run, 1, CallId::Irecv, {0, 10}, 0, large);
  run.call(0, CallId::Send, {5, 1000}, {.peer = 1, .tag = 0, .bytes = large});
  run.rank(0).ends_in_call = true;
  EXPECT_EQ(for_progress_ns(run.built(1000), 0), 990);
}

/// This number of ranks start the operation in [0, 2 ms]; the last one waits for it then, the others later.
ProfileBuilder started_by(int ranks, CallId call) {
  ProfileBuilder run(ranks);
  for (int rank = 0; rank < ranks; ++rank) {
    run.start(rank, call, {0, 2 * ms}, {.bytes = large});
    const bool is_last = rank == ranks - 1;
    waits_for_send(run, rank, {is_last ? 2 * ms : (500 + 100 * rank) * ms, 900 * ms});
  }
  return run;
}

TEST(Progress, AStartedCollectiveWaitsForItsOtherMember) {
  const auto profile = started_by(2, CallId::Iallreduce).built(1 * s);
  EXPECT_EQ(for_progress_ns(profile, 1), 498 * ms);
  EXPECT_EQ(waits_of(Matching(profile), 0).total_ns(), 0);
  EXPECT_DOUBLE_EQ(all_untold_s(profile), 0);
}

TEST(Progress, StolenTimeOfAWaitingRankIsNoDoubt) {
  auto profile = started_by(2, CallId::Iallreduce).built(1 * s);
  for (profile::Event& event : profile.ranks[1].events) event.stolen_ns = 600 * ms;
  EXPECT_EQ(for_progress_ns(profile, 1), 498 * ms);
}

/// Until the first of the others is in MPI nothing moves; from then on, until the last is, some may.
TEST(Progress, IsCertainWhileAllOtherMembersCompute) {
  const auto profile = started_by(4, CallId::Iallreduce).built(1 * s);
  EXPECT_EQ(for_progress_ns(profile, 3), 498 * ms);
  EXPECT_DOUBLE_EQ(all_untold_s(profile), 0.2 + 0.2 + 0.1);  // of ranks 3, 0 and 1
}

TEST(Progress, AStartedCollectiveThatEndsSoonIsReported) {
  ProfileBuilder run(2);
  for (const int rank : {0, 1}) {
    run.start(rank, CallId::Iallreduce, {0, 2}, {.bytes = large});
    waits_for_send(run, rank, {rank == 0 ? 40'000 : 2, 60'000});
  }
  const auto profile = run.built(100'000);
  EXPECT_EQ(waits_of(Matching(profile), 1).total_ns(), 0);
  EXPECT_DOUBLE_EQ(all_untold_s(profile), 0);
}

/// A rank that has finished the operation is outside MPI for other reasons.
TEST(Progress, AFinishedMemberIsNotAwaited) {
  ProfileBuilder run(2);
  for (const int rank : {0, 1}) {
    run.start(rank, CallId::Iallreduce, {0, 2}, {.bytes = large});
    waits_for_send(run, rank, {2, rank == 0 ? 10 * ms : 600 * ms});
  }
  run.call(0, CallId::Send, {500 * ms, 501 * ms}, {.peer = -1});
  const auto profile = run.built(1 * s);
  EXPECT_EQ(waits_of(Matching(profile), 1).total_ns(), 0);
}

/// Four ranks enter and leave the operation at these times in ms.
profile::Profile tree(CallId call, std::array<std::int64_t, 4> begins, std::array<std::int64_t, 4> ends) {
  ProfileBuilder run(4);
  for (std::size_t rank = 0; rank < 4; ++rank)
    run.call(static_cast<int>(rank), call, {begins.at(rank) * ms, ends.at(rank) * ms},
             {.peer = 0, .bytes = large});
  return run.built(1 * s);
}

/// Rank 3 receives from rank 1, which arrives at 400.
TEST(Trees, WaitingForALateRankInBetweenIsUnknown) {
  for (const CallId call : {CallId::Bcast, CallId::Scatter, CallId::Reduce, CallId::Gather}) {
    const auto profile = tree(call, {100, 400, 100, 50}, {450, 450, 103, 450});
    const Matching matching(profile);
    EXPECT_EQ(waits_of(matching, 3).total_ns(), 50 * ms);
    EXPECT_DOUBLE_EQ(all_untold_s(profile), 0.3);
  }
}

TEST(Trees, UnknownWaitingIsNoted) {
  const auto profile = tree(CallId::Bcast, {100, 400, 100, 50}, {450, 450, 103, 450});
  EXPECT_THAT(account(profile).notes, testing::ElementsAre(testing::HasSubstr("in MPI_Bcast (7.5 %)")));
  const std::vector<Loss> all = losses(Matching(profile));
  const auto unknown = std::ranges::find(all, WaitState::unknown, &Loss::state);
  ASSERT_NE(unknown, all.end());
  EXPECT_DOUBLE_EQ(unknown->seconds, 0.3);
}

TEST(Trees, ARankThatEndsBeforeTheLateOneArrivesMovedData) {
  EXPECT_DOUBLE_EQ(all_untold_s(tree(CallId::Bcast, {100, 400, 100, 50}, {110, 450, 110, 110})), 0);
}

/// A broadcast of 350 ms with a late rank; other programs had the processor for 349 ms.
TEST(Trees, StolenTimeIsReported) {
  auto profile = tree(CallId::Bcast, {100, 400, 100, 50}, {450, 450, 103, 450});
  profile.ranks[3].events[0].stolen_ns = 349 * ms;
  EXPECT_NEAR(all_untold_s(profile), 0.001 * 300 / 350, 1e-9);
}

TEST(Trees, AShortCallIsReported) {
  ProfileBuilder run(4);
  for (const int rank : {0, 1, 2, 3})
    run.call(rank, CallId::Bcast, {rank * 20'000, 90'000}, {.peer = 0, .bytes = small});
  EXPECT_DOUBLE_EQ(all_untold_s(run.built(1 * ms)), 0);
}

TEST(Trees, AMissingRankLeavesTheRestUnknown) {
  ProfileBuilder run(4);
  for (const int rank : {0, 2, 3}) {
    run.call(rank, CallId::Bcast, {100 * ms, rank == 3 ? 1000 * ms : 110 * ms}, {.peer = 0, .bytes = large});
    run.call(rank, CallId::Send, {rank == 3 ? 1000 * ms : 110 * ms, 1000 * ms}, {.peer = -1});
  }
  run.rank(3).events.pop_back();
  run.rank(3).ends_in_call = true;
  const auto profile = run.built(1 * s);
  const std::map<std::string_view, double> untold = untold_s(Matching(profile));
  EXPECT_DOUBLE_EQ(untold.at("MPI_Bcast"), 0.9 + 0.02);  // ranks 0 and 2 lack a member, too
}

}  // namespace
}  // namespace loadshare::waiting
