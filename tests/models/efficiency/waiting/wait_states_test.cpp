#include "models/efficiency/waiting/wait_states.hpp"

#include <gtest/gtest.h>

#include <array>

#include "models/efficiency/waiting/members.hpp"
#include "tests/models/efficiency/waiting/profile_builder.hpp"

namespace loadshare::waiting {
namespace {

using profile::CallId;

/// The bytes of a message that is sent immediately or waits; only the end of its send shows which.
constexpr std::uint64_t medium_bytes = 5000;

/// How much of [begin, end] the messages moved that rank 0 sent.
std::int64_t moved_of_rank_0(const profile::Profile& profile, Interval when) {
  const Matching matching(profile);
  CallMessages messages;
  for (const Message& message : matching.messages.all()) messages.push_back(&message);
  return moved_ns(matching, 0, messages, when.begin_ns, when.end_ns);
}

void send(ProfileBuilder& run, int to, std::int64_t begin_ns) {
  run.start(0, CallId::Isend, {begin_ns, begin_ns + 1}, {.peer = to, .tag = 0});
}

TEST(Transfers, LastFromBothArrivalsUntilTheOthersCallReturns) {
  ProfileBuilder run(2);
  send(run, 1, 10);
  run.call(1, CallId::Recv, {5, 30}, {.peer = 0, .tag = 0});
  const auto profile = run.built(50);
  EXPECT_EQ(moved_of_rank_0(profile, {0, 50}), 20);
  EXPECT_EQ(moved_of_rank_0(profile, {15, 25}), 10);
  EXPECT_EQ(moved_of_rank_0(profile, {0, 8}), 0);
}

TEST(Transfers, AreKnownFromAWaitForOneMessage) {
  ProfileBuilder run(2);
  send(run, 1, 0);
  run.start(1, CallId::Irecv, {1, 2}, {.peer = 0, .tag = 0});
  run.call(1, CallId::Wait, {20, 30});
  run.received(1, {.peer = 0, .tag = 0}, run.last_request());
  EXPECT_EQ(moved_of_rank_0(run.built(50), {0, 50}), 10 + 1);
}

TEST(Transfers, AreKnownFromAStartThatMovesImmediately) {
  ProfileBuilder run(2);
  send(run, 1, 0);
  run.start(1, CallId::Irecv, {10, 30}, {.peer = 0, .tag = 0});
  EXPECT_EQ(moved_of_rank_0(run.built(50), {0, 50}), 20);
}

TEST(Transfers, AreUnknownFromAWaitForSeveralMessages) {
  ProfileBuilder run(3);
  send(run, 1, 0);
  run.start(1, CallId::Irecv, {1, 2}, {.peer = 0, .tag = 0});
  run.start(1, CallId::Irecv, {2, 3}, {.peer = 2, .tag = 0});
  run.call(1, CallId::Waitall, {20, 30});
  run.received(1, {.peer = 0, .tag = 0}, run.last_request() - 1);
  run.received(1, {.peer = 2, .tag = 0}, run.last_request());
  EXPECT_EQ(moved_of_rank_0(run.built(50), {0, 50}), 2 - 1);  // by its start
}

TEST(Transfers, AtTheSameTimeCountOnce) {
  ProfileBuilder run(4);
  for (const int to : {1, 2, 3}) send(run, to, 0);
  run.call(1, CallId::Recv, {10, 30}, {.peer = 0, .tag = 0});
  run.call(2, CallId::Recv, {15, 20}, {.peer = 0, .tag = 0});
  run.call(3, CallId::Recv, {25, 40}, {.peer = 0, .tag = 0});
  EXPECT_EQ(moved_of_rank_0(run.built(50), {0, 50}), 30);
}

TEST(Transfers, AreUnknownForMessagesThatWereNotReceived) {
  ProfileBuilder run(2);
  send(run, 1, 0);
  EXPECT_EQ(moved_of_rank_0(run.built(50), {0, 50}), 0);
}

/// Three ranks enter one collective operation at 10, 30 and 20, and leave it at the given times.
class ThreeRanks {
 public:
  ThreeRanks(CallId call, int root, std::array<std::int64_t, 3> ends_ns) {
    constexpr std::array<std::int64_t, 3> begins_ns{10, 30, 20};
    for (std::size_t rank = 0; rank < 3; ++rank)
      run_.call(static_cast<int>(rank), call, {begins_ns[rank], ends_ns[rank]}, {.peer = root});
    profile_ = run_.built(100);
  }

  Wait wait_of(std::uint32_t rank) const {
    return late_member(Matching(profile_), {rank, 0}, profile_.ranks[rank].events[0]);
  }

 private:
  ProfileBuilder run_{3};
  profile::Profile profile_;
};

TEST(AllToAll, WaitsForTheLastMember) {
  for (const CallId call : {CallId::Barrier, CallId::Allreduce, CallId::Alltoallv, CallId::Comm_split,
                            CallId::Win_fence, CallId::Win_free, CallId::Comm_create_group}) {
    const ThreeRanks run(call, -1, {31, 31, 31});
    for (const std::uint32_t rank : {0u, 1u, 2u}) {
      EXPECT_EQ(run.wait_of(rank).until_ns, 30);
      EXPECT_EQ(run.wait_of(rank).state, WaitState::late_member);
    }
  }
}

TEST(OneToAll, WaitsForTheRoot) {
  const ThreeRanks run(CallId::Bcast, 1, {33, 33, 33});
  EXPECT_EQ(run.wait_of(0).until_ns, 30);
  EXPECT_EQ(run.wait_of(2).until_ns, 30);
  EXPECT_EQ(run.wait_of(2).state, WaitState::late_root);
}

TEST(OneToAll, TheRootWaitsForRanksThatArriveBeforeItsEnd) {
  EXPECT_EQ(ThreeRanks(CallId::Scatter, 0, {11, 33, 33}).wait_of(0).until_ns, 10);
  EXPECT_EQ(ThreeRanks(CallId::Scatter, 0, {25, 33, 33}).wait_of(0).until_ns, 20);
  EXPECT_EQ(ThreeRanks(CallId::Scatter, 0, {33, 33, 33}).wait_of(0).until_ns, 30);
}

TEST(AllToOne, TheRootWaitsForTheLastMember) {
  const ThreeRanks run(CallId::Reduce, 2, {11, 31, 32});
  EXPECT_EQ(run.wait_of(2).until_ns, 30);
  EXPECT_EQ(run.wait_of(2).state, WaitState::early_root);
}

TEST(AllToOne, OthersWaitForTheRootIfTheyEndAfterItsArrival) {
  EXPECT_FALSE(ThreeRanks(CallId::Gather, 2, {11, 31, 32}).wait_of(0));
  EXPECT_EQ(ThreeRanks(CallId::Gather, 2, {25, 31, 32}).wait_of(0).until_ns, 20);
}

TEST(Prefix, WaitsForTheMembersBefore) {
  const ThreeRanks run(CallId::Scan, -1, {11, 31, 31});
  EXPECT_EQ(run.wait_of(0).until_ns, 10);
  EXPECT_EQ(run.wait_of(1).until_ns, 10);
  EXPECT_EQ(run.wait_of(2).until_ns, 30);
}

TEST(LooseCollectives, WaitForRanksThatArriveBeforeTheirEnd) {
  for (const CallId call : {CallId::File_write_all, CallId::File_open, CallId::Comm_free}) {
    EXPECT_EQ(ThreeRanks(call, -1, {11, 33, 33}).wait_of(0).until_ns, 10);
    EXPECT_EQ(ThreeRanks(call, -1, {25, 33, 33}).wait_of(0).until_ns, 20);
    EXPECT_EQ(ThreeRanks(call, -1, {33, 33, 33}).wait_of(0).until_ns, 30);
  }
}

/// A chain in which each gets the data of the one before it: 0 at 10, 1 at 40, 2 at 20.
class Chain {
 public:
  explicit Chain(CallId call) {
    call_of(0, call, {10, 50}, {});
    call_of(1, call, {40, 50}, {0});
    call_of(2, call, {20, 50}, {1});
    profile_ = run_.built(100);
  }
  Wait wait_of(std::uint32_t rank) const {
    return late_member(Matching(profile_), {rank, 0}, profile_.ranks[rank].events[0]);
  }

 private:
  void call_of(int rank, CallId call, Interval when, std::initializer_list<int> sources) {
    run_.call(rank, call, when);
    for (const int source : sources) run_.member(rank, source);
  }

  ProfileBuilder run_{3};
  profile::Profile profile_;
};

TEST(Neighbors, WaitForTheSourcesOfTheirData) {
  for (const CallId call :
       {CallId::Neighbor_allgather, CallId::Neighbor_alltoallw, CallId::Ineighbor_alltoall}) {
    const Chain run(call);
    EXPECT_EQ(run.wait_of(0).until_ns, 10);
    EXPECT_EQ(run.wait_of(1).until_ns, 40);
    EXPECT_EQ(run.wait_of(2).until_ns, 40);
    EXPECT_EQ(run.wait_of(2).state, WaitState::late_neighbor);
  }
}

TEST(Neighbors, AreUnknownWithoutNamedNeighbours) {
  EXPECT_FALSE(ThreeRanks(CallId::Neighbor_allgather, -1, {31, 31, 31}).wait_of(0));
}

TEST(StartedCollectives, WaitAsTheirBlockingKind) {
  EXPECT_EQ(ThreeRanks(CallId::Ibarrier, -1, {31, 31, 31}).wait_of(0).until_ns, 30);
  EXPECT_EQ(ThreeRanks(CallId::Ibcast, 2, {31, 31, 31}).wait_of(0).until_ns, 20);
  EXPECT_EQ(ThreeRanks(CallId::Ireduce, 2, {11, 31, 31}).wait_of(2).until_ns, 30);
  EXPECT_EQ(ThreeRanks(CallId::Iscan, -1, {11, 31, 31}).wait_of(1).until_ns, 10);
}

TEST(OneToAll, IsUnknownIfTheRootIsMissing) {
  ProfileBuilder run(2);
  const EventId call = run.call(1, CallId::Bcast, {1, 9}, {.peer = 0});
  const auto profile = run.built(10);
  EXPECT_FALSE(late_member(Matching(profile), call, at(profile, call)));
}

/// Returns how long a send by rank 0 over [1, end] waits if rank 1 posts its receive at 10.
Wait wait_of_send(CallId call, std::int64_t end_ns, std::uint64_t bytes = medium_bytes,
                  const EagerLimits& limits = {}) {
  ProfileBuilder run(2);
  const EventId send = run.call(0, call, {1, end_ns}, {.peer = 1, .tag = 0, .bytes = bytes});
  run.call(1, CallId::Recv, {10, 15}, {.peer = 0, .tag = 0});
  const auto profile = run.built(20);
  return late_receiver(Matching(profile, limits), send, at(profile, send));
}

TEST(LateSender, LastsUntilTheSendBegins) {
  ProfileBuilder run(2);
  run.call(0, CallId::Send, {7, 9}, {.peer = 1, .tag = 0});
  const EventId receive = run.call(1, CallId::Recv, {1, 9}, {.peer = 0, .tag = 0});
  const auto profile = run.built(20);
  const Wait wait = late_sender(Matching(profile), receive);
  EXPECT_EQ(wait.state, WaitState::late_sender);
  EXPECT_EQ(wait.until_ns, 7);
}

TEST(LateSender, IsUnknownIfTheSendIsUnknown) {
  ProfileBuilder run(2);
  const EventId receive = run.call(1, CallId::Recv, {1, 9}, {.peer = 0, .tag = 0});
  const auto profile = run.built(20);
  EXPECT_FALSE(late_sender(Matching(profile), receive));
}

TEST(LateReceiver, HoldsASendThatEndedAfterThePost) {
  EXPECT_EQ(wait_of_send(CallId::Ssend, 15).until_ns, 10);
  EXPECT_EQ(wait_of_send(CallId::Send, 15).until_ns, 10);
  EXPECT_EQ(wait_of_send(CallId::Send, 15).state, WaitState::late_receiver);
}

TEST(LateReceiver, DoesNotHoldAShortSend) {
  EXPECT_FALSE(wait_of_send(CallId::Send, 2));
}

TEST(LateReceiver, DoesNotHoldAnEagerSendThatEndsLate) {
  EXPECT_FALSE(wait_of_send(CallId::Send, 15, 256));
  EXPECT_TRUE(wait_of_send(CallId::Send, 15, 257));
  EXPECT_TRUE(wait_of_send(CallId::Ssend, 15, 8));
  EXPECT_FALSE(wait_of_send(CallId::Send, 15, 4000, {.one_host = {4000, 4000}}));
  EXPECT_TRUE(wait_of_send(CallId::Send, 15, 4001, {.one_host = {4000, 4000}}));
}

TEST(LateReceiver, UsesTheLimitOfTheConnectionBetweenTwoHosts) {
  ProfileBuilder run(2);
  run.rank(1).host = "elsewhere";
  const EventId send = run.call(0, CallId::Send, {1, 15}, {.peer = 1, .tag = 0, .bytes = 4000});
  run.call(1, CallId::Recv, {10, 15}, {.peer = 0, .tag = 0});
  const auto profile = run.built(20);
  EXPECT_FALSE(late_receiver(Matching(profile), send, at(profile, send)));
  EXPECT_TRUE(late_receiver(Matching(profile, {.two_hosts = {3999, 3999}}), send, at(profile, send)));
}

TEST(LateReceiver, DoesNotHoldBufferedAndReadySends) {
  EXPECT_FALSE(wait_of_send(CallId::Bsend, 15));
  EXPECT_FALSE(wait_of_send(CallId::Rsend, 15));
}

/// Rank 0 starts receives from ranks 1 and 2, which send at 10 and 30, and waits for both in [5, 40].
ProfileBuilder two_receives(CallId wait) {
  ProfileBuilder run(3);
  run.call(1, CallId::Send, {10, 11}, {.peer = 0, .tag = 0});
  run.call(2, CallId::Send, {30, 31}, {.peer = 0, .tag = 0});
  run.start(0, CallId::Irecv, {1, 2}, {.peer = 1, .tag = 0});
  run.start(0, CallId::Irecv, {2, 3}, {.peer = 2, .tag = 0});
  run.call(0, wait, {5, 40});
  run.received(0, {.peer = 1, .tag = 0}, 1);
  run.received(0, {.peer = 2, .tag = 0}, 2);
  return run;
}

TEST(WaitStates, WaitallLastsUntilTheLastPartnerExceptTransfers) {
  EXPECT_EQ(waited_ns(two_receives(CallId::Waitall).built(50), 0, WaitState::late_sender), 25 - 1);
}

TEST(WaitStates, WaitsomeLastsUntilTheFirstPartner) {
  EXPECT_EQ(waited_ns(two_receives(CallId::Waitsome).built(50), 0, WaitState::late_sender), 5);
}

TEST(WaitStates, ASuccessfulTestDoesNotWait) {
  EXPECT_EQ(waits_of(Matching(two_receives(CallId::Testall).built(50)), 0).total_ns(), 0);
}

TEST(WaitStates, NoCallWaitsLongerThanItLasts) {
  ProfileBuilder run(2);
  run.call(0, CallId::Recv, {1, 5}, {.peer = 1, .tag = 0});
  run.call(1, CallId::Send, {8, 9}, {.peer = 0, .tag = 0});
  EXPECT_EQ(waited_ns(run.built(50), 0, WaitState::late_sender), 4);
}

TEST(WaitStates, APresentPartnerCostsNoWaiting) {
  ProfileBuilder run(2);
  run.call(0, CallId::Recv, {10, 15}, {.peer = 1, .tag = 0});
  run.call(1, CallId::Send, {8, 15}, {.peer = 0, .tag = 0, .bytes = medium_bytes});
  EXPECT_EQ(waited_ns(run.built(50), 0, WaitState::late_sender), 0);
  EXPECT_EQ(waited_ns(run.built(50), 1, WaitState::late_receiver), 2);
}

TEST(WaitStates, AWaitOnASendLastsUntilTheReceiveIsPosted) {
  ProfileBuilder run(2);
  run.start(0, CallId::Isend, {1, 2}, {.peer = 1, .tag = 0, .bytes = medium_bytes});
  run.call(0, CallId::Wait, {3, 20});
  run.completed(0, 1);
  run.call(1, CallId::Recv, {15, 20}, {.peer = 0, .tag = 0});
  EXPECT_EQ(waited_ns(run.built(50), 0, WaitState::late_receiver), 12);
}

TEST(WaitStates, AnExchangeWaitsForTheLaterOfBoth) {
  ProfileBuilder run(2);
  run.call(0, CallId::Sendrecv, {1, 20}, {.peer = 1, .tag = 0});
  run.received(0, {.peer = 1, .tag = 0});
  run.call(1, CallId::Sendrecv, {12, 20}, {.peer = 0, .tag = 0});
  run.received(1, {.peer = 0, .tag = 0});
  EXPECT_EQ(waits_of(Matching(run.built(50)), 0).total_ns(), 11);
  EXPECT_EQ(waits_of(Matching(run.built(50)), 1).total_ns(), 0);
}

TEST(WaitStates, AProbeWaitsForTheSend) {
  ProfileBuilder run(2);
  run.call(0, CallId::Probe, {1, 9});
  run.received(0, {.peer = 1, .tag = 3});
  run.call(0, CallId::Recv, {9, 10}, {.peer = 1, .tag = 3});
  run.call(1, CallId::Send, {8, 9}, {.peer = 0, .tag = 3});
  EXPECT_EQ(waited_ns(run.built(50), 0, WaitState::late_sender), 7);
}

/// Rank 0 tests without success within [0, 30] and then succeeds; rank 1 sends the message at 10.
std::int64_t waited_by_tests(std::uint32_t place_of_success, std::int64_t inside_ns, WaitState state) {
  ProfileBuilder run(2);
  run.start(0, CallId::Irecv, {0, 0}, {.peer = 1, .tag = 0});
  run.in_vain(0, CallId::Test, {0, 30}, inside_ns);
  run.place(0, 5);
  run.call(0, CallId::Test, {30, 31});
  run.place(0, place_of_success);
  run.received(0, {.peer = 1, .tag = 0}, run.last_request());
  run.call(1, CallId::Send, {10, 31}, {.peer = 0, .tag = 0});
  return waited_ns(run.built(50), 0, state);
}

TEST(WaitStates, UnsuccessfulTestsWaitUntilTheMessageIsSent) {
  EXPECT_EQ(waited_by_tests(5, 30, WaitState::late_sender), 10);
  EXPECT_EQ(waited_by_tests(5, 30, WaitState::polling), 0);
}

TEST(WaitStates, UnsuccessfulTestsWithNapsWaitForAPartOfThat) {
  EXPECT_EQ(waited_by_tests(5, 15, WaitState::late_sender), 5);
}

TEST(WaitStates, TestsFromAnotherPlaceDoNotExplainThese) {
  EXPECT_EQ(waited_by_tests(6, 12, WaitState::polling), 12);
}

TEST(WaitStates, TestsOfASendWaitUntilItsReceiveIsPosted) {
  ProfileBuilder run(2);
  run.start(0, CallId::Isend, {0, 1}, {.peer = 1, .tag = 0, .bytes = medium_bytes});
  run.in_vain(0, CallId::Test, {1, 30}, 29);
  run.place(0, 5);
  run.call(0, CallId::Test, {30, 31});
  run.place(0, 5);
  run.completed(0, run.last_request());
  run.call(1, CallId::Recv, {11, 31}, {.peer = 0, .tag = 0});
  EXPECT_EQ(waited_ns(run.built(50), 0, WaitState::late_receiver), 10);
}

TEST(WaitStates, UnsuccessfulProbesWaitUntilTheMessageIsSent) {
  ProfileBuilder run(2);
  run.in_vain(0, CallId::Iprobe, {0, 30}, 30);
  run.place(0, 5);
  run.call(0, CallId::Iprobe, {30, 31}, {.peer = 1, .tag = 0});
  run.place(0, 5);
  run.call(0, CallId::Recv, {31, 32}, {.peer = 1, .tag = 0});
  run.call(1, CallId::Send, {10, 32}, {.peer = 0, .tag = 0});
  EXPECT_EQ(waited_ns(run.built(50), 0, WaitState::late_sender), 10);
}

/// Rank 0 receives a large message from rank 1 in [1, 100] and sends `bytes` to rank 2, which receives them
/// at 90, both in one call of `wait`.
std::int64_t waited_beside_a_receive(std::uint64_t bytes) {
  ProfileBuilder run(3);
  run.start(0, CallId::Irecv, {0, 0}, {.peer = 1, .tag = 0});
  run.start(0, CallId::Isend, {0, 0}, {.peer = 2, .tag = 0, .bytes = bytes});
  run.call(0, CallId::Waitall, {1, 101});
  run.received(0, {.peer = 1, .tag = 0}, 1);
  run.completed(0, 2);
  run.call(1, CallId::Send, {0, 100}, {.peer = 0, .tag = 0, .bytes = 1 << 30});
  run.call(2, CallId::Recv, {90, 101}, {.peer = 0, .tag = 0, .bytes = bytes});
  return waits_of(Matching(run.built(200)), 0).total_ns();
}

TEST(WaitStates, AShortSendDoesNotHoldAWaitOnReceives) {
  EXPECT_EQ(waited_beside_a_receive(8), 0);
}

TEST(WaitStates, TransfersAreNoWaitForOtherRanks) {
  EXPECT_EQ(waited_beside_a_receive(1 << 20), 0);
}

TEST(WaitStates, AShortSendDoesNotHoldAnExchange) {
  ProfileBuilder run(3);
  run.call(0, CallId::Sendrecv, {0, 100}, {.peer = 2, .tag = 0, .bytes = 8});
  run.received(0, {.peer = 1, .tag = 0});
  run.call(1, CallId::Send, {0, 100}, {.peer = 0, .tag = 0, .bytes = 1 << 30});
  run.call(2, CallId::Recv, {90, 101}, {.peer = 0, .tag = 0, .bytes = 8});
  EXPECT_EQ(waits_of(Matching(run.built(200)), 0).total_ns(), 0);
}

TEST(WaitStates, UnsuccessfulTestsOfAnUnknownPlaceWaitAllTheirTimeInside) {
  ProfileBuilder run(1);
  run.in_vain(0, CallId::Iprobe, {1, 30}, 12);
  run.in_vain(0, CallId::Test, {30, 40}, 5);
  EXPECT_EQ(waited_ns(run.built(50), 0, WaitState::polling), 17);
}

TEST(WaitStates, AStartedCollectiveWaitsInItsWait) {
  ProfileBuilder run(2);
  run.start(0, CallId::Iallreduce, {1, 2});
  run.call(0, CallId::Wait, {4, 20});
  run.completed(0, 1);
  run.start(1, CallId::Iallreduce, {17, 18});
  run.call(1, CallId::Wait, {18, 20});
  run.completed(1, 2);
  EXPECT_EQ(waited_ns(run.built(50), 0, WaitState::late_member), 13);
  EXPECT_EQ(waited_ns(run.built(50), 1, WaitState::late_member), 0);
}

TEST(WaitStates, AWindowsEpochWaitsForItsOtherSide) {
  ProfileBuilder run(2);
  run.call(0, CallId::Win_start, {1, 12});
  run.member(0, 1);
  run.call(0, CallId::Win_complete, {30, 32});
  run.call(1, CallId::Win_post, {10, 11});
  run.member(1, 0);
  run.call(1, CallId::Win_wait, {15, 32});
  EXPECT_EQ(waited_ns(run.built(50), 0, WaitState::late_epoch), 9);
  EXPECT_EQ(waited_ns(run.built(50), 1, WaitState::late_epoch), 15);
}

TEST(WaitStates, EachHasAName) {
  for (std::size_t state = 0; state < wait_states; ++state)
    EXPECT_NE(name_of(static_cast<WaitState>(state)), "unknown");
}

}  // namespace
}  // namespace loadshare::waiting
