#include "models/waiting/wait_states.hpp"

#include <gtest/gtest.h>

#include "tests/models/waiting/profile_builder.hpp"

namespace loadshare::waiting {
namespace {

using profile::CallId;

std::int64_t waited_ns(const profile::Profile& profile, std::uint32_t rank, WaitState state) {
  return waits_of(Matching(profile), rank).by_state_ns[static_cast<std::size_t>(state)];
}

/// Rank 0 starts receives from ranks 1 and 2, who send at 10 and 30, and waits for both in [5, 40].
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

TEST(WaitStates, WaitallLastsUntilTheLastPartnerButForWhatMoved) {
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

TEST(WaitStates, APartnerThatIsThereCostsNoWaiting) {
  ProfileBuilder run(2);
  run.call(0, CallId::Recv, {10, 15}, {.peer = 1, .tag = 0});
  run.call(1, CallId::Send, {8, 15}, {.peer = 0, .tag = 0});
  EXPECT_EQ(waited_ns(run.built(50), 0, WaitState::late_sender), 0);
  EXPECT_EQ(waited_ns(run.built(50), 1, WaitState::late_receiver), 2);
}

TEST(WaitStates, AWaitOnASendLastsUntilTheReceiveIsPosted) {
  ProfileBuilder run(2);
  run.start(0, CallId::Isend, {1, 2}, {.peer = 1, .tag = 0});
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

/// Rank 0 tests in vain within [0, 30] and has success at once then, rank 1's message coming at 10.
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

TEST(WaitStates, TestsInVainWaitUntilTheMessageIsSent) {
  EXPECT_EQ(waited_by_tests(5, 30, WaitState::late_sender), 10);
  EXPECT_EQ(waited_by_tests(5, 30, WaitState::polling), 0);
}

TEST(WaitStates, TestsInVainWithNapsBetweenWaitForAPartOfThat) {
  EXPECT_EQ(waited_by_tests(5, 15, WaitState::late_sender), 5);
}

TEST(WaitStates, TestsFromAnotherPlaceDoNotTellWhatForOthersWere) {
  EXPECT_EQ(waited_by_tests(6, 12, WaitState::polling), 12);
}

TEST(WaitStates, TestsOfASendWaitUntilItsReceiveIsPosted) {
  ProfileBuilder run(2);
  run.start(0, CallId::Isend, {0, 1}, {.peer = 1, .tag = 0});
  run.in_vain(0, CallId::Test, {1, 30}, 29);
  run.place(0, 5);
  run.call(0, CallId::Test, {30, 31});
  run.place(0, 5);
  run.completed(0, run.last_request());
  run.call(1, CallId::Recv, {11, 31}, {.peer = 0, .tag = 0});
  EXPECT_EQ(waited_ns(run.built(50), 0, WaitState::late_receiver), 10);
}

TEST(WaitStates, ProbesInVainWaitUntilTheMessageIsSent) {
  ProfileBuilder run(2);
  run.in_vain(0, CallId::Iprobe, {0, 30}, 30);
  run.place(0, 5);
  run.call(0, CallId::Iprobe, {30, 31}, {.peer = 1, .tag = 0});
  run.place(0, 5);
  run.call(0, CallId::Recv, {31, 32}, {.peer = 1, .tag = 0});
  run.call(1, CallId::Send, {10, 32}, {.peer = 0, .tag = 0});
  EXPECT_EQ(waited_ns(run.built(50), 0, WaitState::late_sender), 10);
}

/// Rank 0 receives much from rank 1 in [1, 100] and sends `bytes` to rank 2, who takes them at 90, both in
/// one call of `wait`.
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

TEST(WaitStates, WhatMovesMeanwhileIsNoWaitForOthers) {
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

TEST(WaitStates, TestsInVainOfAnUnknownPlaceWaitAllTheirTimeInside) {
  ProfileBuilder run(1);
  run.in_vain(0, CallId::Iprobe, {1, 30}, 12);
  run.in_vain(0, CallId::Test, {30, 40}, 5);
  EXPECT_EQ(waited_ns(run.built(50), 0, WaitState::polling), 17);
}

TEST(WaitStates, AStartedCollectiveWaitsInTheWaitOnIt) {
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
