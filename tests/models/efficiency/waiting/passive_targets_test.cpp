#include "models/efficiency/waiting/passive_targets.hpp"

#include <gtest/gtest.h>

#include "models/efficiency/waiting/wait_states.hpp"
#include "tests/models/efficiency/waiting/profile_builder.hpp"

namespace loadshare::waiting {
namespace {

using profile::CallId;

Wait wait_at(const profile::Profile& profile, EventId id) {
  return wait_of(Matching(profile), id.rank, call_at(profile.ranks[id.rank].events, id.event));
}

EventId lock(ProfileBuilder& run, int rank, Interval when, std::int32_t kind = profile::exclusive_lock) {
  return run.call(rank, CallId::Win_lock, when, {.peer = 2, .tag = kind});
}

/// Rank 1 has rank 2's lock from 5 to 40, whose unlock begins at 35.
ProfileBuilder locked_by_1(std::int32_t kind = profile::exclusive_lock) {
  ProfileBuilder run(3);
  lock(run, 1, {4, 5}, kind);
  run.call(1, CallId::Win_unlock, {35, 40}, {.peer = 2});
  run.call(2, CallId::Barrier, {0, 100});  // it makes progress
  return run;
}

TEST(Locks, WaitUntilTheOtherRankBeginsToUnlock) {
  ProfileBuilder run = locked_by_1();
  const EventId call = lock(run, 0, {10, 41});
  const Wait wait = wait_at(run.built(100), call);
  EXPECT_EQ(wait.state, WaitState::lock_taken);
  EXPECT_EQ(wait.until_ns, 35);
}

TEST(Locks, SharedLocksDoNotWaitForEachOther) {
  ProfileBuilder run = locked_by_1(profile::shared_lock);
  const EventId call = lock(run, 0, {10, 41}, profile::shared_lock);
  EXPECT_FALSE(wait_at(run.built(100), call));
}

TEST(Locks, ExclusiveLocksWaitForSharedOnes) {
  ProfileBuilder run = locked_by_1(profile::shared_lock);
  const EventId call = lock(run, 0, {10, 41});
  EXPECT_EQ(wait_at(run.built(100), call).until_ns, 35);
}

TEST(Locks, LocksOfAllTargetsWaitForAnExclusiveLockOfOne) {
  ProfileBuilder run = locked_by_1();
  const EventId call = run.call(0, CallId::Win_lock_all, {10, 41});
  EXPECT_EQ(wait_at(run.built(100), call).until_ns, 35);
}

TEST(Locks, IgnoreLocksOfOtherTargetsAndWindows) {
  ProfileBuilder run = locked_by_1();
  const auto window = run.communicator({0, 1, 2});
  const EventId other_target =
      run.call(0, CallId::Win_lock, {10, 41}, {.peer = 1, .tag = profile::exclusive_lock});
  const EventId other_window = run.call(0, CallId::Win_lock, {42, 48},
                                        {.peer = 2, .tag = profile::exclusive_lock, .communicator = window});
  const profile::Profile profile = run.built(100);
  EXPECT_NE(wait_at(profile, other_target).state, WaitState::lock_taken);
  EXPECT_NE(wait_at(profile, other_window).state, WaitState::lock_taken);
}

/// The lock is had at once, and taken with the flush.
TEST(Locks, DelayedLocksWaitInTheCallThatTakesThem) {
  ProfileBuilder run = locked_by_1();
  const EventId asked = lock(run, 0, {10, 11});
  run.call(0, CallId::Put, {11, 12}, {.peer = 2});
  const EventId flush = run.call(0, CallId::Win_flush, {12, 45}, {.peer = 2});
  const EventId unlock = run.call(0, CallId::Win_unlock, {45, 46}, {.peer = 2});
  const profile::Profile profile = run.built(100);
  EXPECT_FALSE(wait_at(profile, asked));
  EXPECT_EQ(wait_at(profile, flush).until_ns, 35);
  EXPECT_EQ(wait_at(profile, flush).state, WaitState::lock_taken);
  EXPECT_FALSE(wait_at(profile, unlock));
}

/// Rank 1 puts to rank 0 and flushes in [11, 31]; rank 0 computes until 30, and is in MPI then.
struct Progress {
  ProfileBuilder run{2};
  EventId flush;

  explicit Progress(CallId call = CallId::Win_flush) {
    run.call(0, CallId::Barrier, {0, 5});
    run.call(0, CallId::Recv, {30, 60}, {.peer = -1});
    run.call(1, CallId::Barrier, {0, 5});
    run.call(1, CallId::Win_lock, {9, 10}, {.peer = 0, .tag = profile::shared_lock});
    run.call(1, CallId::Put, {10, 11}, {.peer = 0});
    flush = run.call(1, call, {11, 31}, {.peer = 0});
  }
};

TEST(Progress, ATransferWaitsUntilTheTargetIsInMpi) {
  for (const CallId call : {CallId::Win_flush, CallId::Win_unlock}) {
    Progress made(call);
    const Wait wait = wait_at(made.run.built(100), made.flush);
    EXPECT_EQ(wait.state, WaitState::late_target);
    EXPECT_EQ(wait.until_ns, 30);
  }
}

TEST(Progress, AFlushWithoutTransfersDoesNotWait) {
  Progress made;
  const EventId again = made.run.call(1, CallId::Win_flush, {62, 70}, {.peer = 0});
  made.run.call(0, CallId::Barrier, {65, 70});
  EXPECT_FALSE(wait_at(made.run.built(100), again));
}

TEST(Progress, IsNotNeededOnAWindowThatWorkedWithoutIt) {
  Progress made;
  made.run.call(1, CallId::Put, {61, 62}, {.peer = 0});
  made.run.call(1, CallId::Win_flush, {62, 70}, {.peer = 0});  // rank 0 computes from 60 on
  EXPECT_FALSE(wait_at(made.run.built(100), made.flush));
}

TEST(Progress, MayBeNeededByAccumulatesOnly) {
  Progress made;
  const EventId update = made.run.call(1, CallId::Fetch_and_op, {61, 75}, {.peer = 0});
  const EventId flush = made.run.call(1, CallId::Win_flush, {75, 81}, {.peer = 0});
  made.run.call(1, CallId::Put, {82, 83}, {.peer = 0});
  made.run.call(1, CallId::Win_flush, {83, 84}, {.peer = 0});  // without its target
  made.run.call(0, CallId::Barrier, {80, 81});
  const profile::Profile profile = made.run.built(100);
  EXPECT_FALSE(wait_at(profile, made.flush));
  EXPECT_FALSE(wait_at(profile, update));
  EXPECT_EQ(wait_at(profile, flush).until_ns, 80);
}

TEST(Progress, ATargetInMpiCausesNoWait) {
  ProfileBuilder run(2);
  run.call(0, CallId::Barrier, {0, 50});
  run.call(1, CallId::Win_lock_all, {1, 2});
  run.call(1, CallId::Put, {2, 3}, {.peer = 0});
  const EventId flush = run.call(1, CallId::Win_flush_all, {3, 30});
  EXPECT_FALSE(wait_at(run.built(100), flush));
}

}  // namespace
}  // namespace loadshare::waiting
