#include "models/efficiency/waiting/accounts.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/efficiency/waiting/notes.hpp"
#include "tests/models/efficiency/waiting/profile_builder.hpp"

namespace loadshare::waiting {
namespace {

using profile::CallId;

/// Rank 0 waits for a message from 10 to 30 and takes it until 35; rank 1 sends it in [30, 36].
ProfileBuilder late_message() {
  ProfileBuilder run(2);
  run.call(0, CallId::Recv, {10, 35}, {.peer = 1, .tag = 0});
  run.call(1, CallId::Send, {30, 36}, {.peer = 0, .tag = 0});
  return run;
}

TEST(Losses, SeparateWaitingFromMovingAndAreSorted) {
  const profile::Profile profile = late_message().built(50);
  const std::vector<Loss> all = losses(Matching(profile));
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].call, "MPI_Recv");
  EXPECT_EQ(all[0].state, WaitState::late_sender);
  EXPECT_DOUBLE_EQ(all[0].seconds, 20e-9);
  EXPECT_EQ(all[1].call, "MPI_Send");
  EXPECT_EQ(all[1].state, WaitState::none);
  EXPECT_DOUBLE_EQ(all[1].seconds, 6e-9);
  EXPECT_EQ(all[2].call, "MPI_Recv");
  EXPECT_DOUBLE_EQ(all[2].seconds, 5e-9);
}

TEST(Losses, RanksAddUpByPlace) {
  ProfileBuilder run(2);
  for (const int rank : {0, 1}) {
    run.call(rank, CallId::Send, {1, 4}, {.peer = -1});
    run.call(rank, CallId::Send, {5, 6}, {.peer = -1});
  }
  profile::Profile profile = run.built(50);
  profile.ranks[0].places = {"", "near", "far"};
  profile.ranks[1].places = {"", "far", "near"};  // each rank numbers its places by itself
  profile.ranks[0].events[0].place = 1;
  profile.ranks[0].events[1].place = 2;
  profile.ranks[1].events[0].place = 2;
  profile.ranks[1].events[1].place = 1;
  const std::vector<Loss> all = losses(Matching(profile));
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].place, "near");
  EXPECT_DOUBLE_EQ(all[0].seconds, 6e-9);
  EXPECT_EQ(all[1].place, "far");
  EXPECT_DOUBLE_EQ(all[1].seconds, 2e-9);
}

TEST(Losses, TheyAddUpToTheTimeInsideMpi) {
  const profile::Profile profile = late_message().built(50);
  double sum_s = 0;
  for (const Loss& loss : losses(Matching(profile))) sum_s += loss.seconds;
  EXPECT_DOUBLE_EQ(sum_s, 31e-9);
}

TEST(Losses, AllIdleTimeOfTheAccountIsAmongThem) {
  profile::Profile profile = late_message().built(50);
  profile.ranks[0].blocked_ns = 7;
  profile.ranks[1].begin_ns = 4;
  profile.ranks[1].end_ns = 48;
  double idle_s = 0;
  for (const granularity::RankTimes& rank : account(profile).ranks) idle_s += rank.idle_s;
  double waited_s = 0;
  for (const Loss& loss : losses(Matching(profile)))
    if (loss.state != WaitState::none) waited_s += loss.seconds;
  EXPECT_DOUBLE_EQ(idle_s, 33e-9);
  EXPECT_DOUBLE_EQ(waited_s, idle_s);
  EXPECT_EQ(losses(Matching(profile))[1].call, "outside MPI");
}

TEST(Losses, StolenTimeIsNoLossOfACall) {
  profile::Profile profile = late_message().built(50);
  profile.ranks[1].stolen_inside_ns = profile.ranks[1].inside_ns / 3;
  const std::vector<Loss> all = losses(Matching(profile));
  ASSERT_EQ(all.size(), 3U);
  EXPECT_DOUBLE_EQ(all[0].seconds, 20e-9);  // stolen time costs a waiting rank nothing
  EXPECT_EQ(all[2].call, "MPI_Send");
  EXPECT_DOUBLE_EQ(all[2].seconds, 4e-9);
  double moved_s = 0;
  for (const granularity::RankTimes& rank : account(profile).ranks) moved_s += rank.communicating_s;
  EXPECT_DOUBLE_EQ(moved_s, all[1].seconds + all[2].seconds);
}

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> notes(const profile::Profile& profile) {
  return notes_of(Matching(profile), 10);
}

TEST(Notes, ACompleteProfileNeedsNone) {
  EXPECT_THAT(notes(ProfileBuilder(2).built(10 * s)), IsEmpty());
}

TEST(Notes, ContainTheNotesOfTheReader) {
  auto profile = ProfileBuilder(2).built(10 * s);
  profile.notes = {"rank 1's block 3 is cut short"};
  EXPECT_THAT(notes(profile), ElementsAre("rank 1's block 3 is cut short"));
}

TEST(Notes, ReportMissingRanks) {
  auto profile = ProfileBuilder(3).built(10 * s);
  profile.ranks.pop_back();
  EXPECT_THAT(notes(profile), ElementsAre(HasSubstr("2 of 3 ranks")));
}

TEST(Notes, NameRanksThatDidNotFinalize) {
  auto profile = ProfileBuilder(3).built(10 * s);
  profile.ranks[0].has_finalized = profile.ranks[2].has_finalized = false;
  profile.ranks[0].end_ns = 7 * s;
  profile.ranks[1].has_finalized = false;
  profile.ranks[1].ended_by = "SIGTERM";
  profile.ranks[2].open_call.emplace();
  EXPECT_THAT(notes(profile),
              ElementsAre(HasSubstr("the end of rank 2 is not known: its last call"),
                          HasSubstr("what rank 0 did after its last sign of life is not known: up to 3 s")));
}

TEST(Notes, ListManyRanksThatDidNotFinalize) {
  auto profile = ProfileBuilder(512).built(10 * s);
  for (int rank = 0; rank < 512; ++rank) {
    auto& one = profile.ranks[static_cast<std::size_t>(rank)];
    one.has_finalized = false;
    one.end_ns = 9 * s - rank;
    if (rank % 2 == 1) one.open_call.emplace();
  }
  profile.ranks[0].end_ns = 10 * s;
  profile.ranks[7].end_ns = 4 * s;
  EXPECT_THAT(
      notes(profile),
      ElementsAre(
          HasSubstr("the end of ranks 1, 3, 5, 7, 9, 11, 13, 15 and 248 more is not known"),
          HasSubstr("what ranks 0, 1, 2, 3, 4, 5, 6, 7 and 504 more did after its last sign of life is "
                    "not known: up to 6 s")));
}

TEST(Notes, ReportTheShareAfterTheFirstDroppedEvent) {
  ProfileBuilder run(2);
  for (const int rank : {0, 1})
    for (const std::int64_t begin : {0 * s, 5 * s}) run.call(rank, CallId::Put, {begin, begin + s});
  auto profile = run.built(10 * s);
  profile.ranks[1].events_dropped = 1;
  profile.ranks[1].events_end_ns = 4 * s;
  EXPECT_THAT(notes(profile),
              ElementsAre(testing::AllOf(
                  HasSubstr("for 50.0 % of the time in MPI, after the first missing event of rank 1"),
                  HasSubstr("the losses by call cover "))));
}

TEST(Notes, ReportOtherThreads) {
  auto profile = ProfileBuilder(2).built(10 * s);
  profile.ranks[0].calls_of_other_threads = 5;
  profile.ranks[1].other_threads_cpu_ns = s / 5;
  profile.ranks[0].other_threads_cpu_ns = s / 20;  // below 1 % of the run
  EXPECT_THAT(notes(profile), ElementsAre(HasSubstr("other threads of rank 0 called MPI"),
                                          HasSubstr("other threads of rank 1 computed too")));
}

TEST(Notes, IgnoreMpisOwnThreadsInAShortRun) {
  auto profile = ProfileBuilder(1).built(s / 1000);
  profile.ranks[0].other_threads_cpu_ns = s / 2000;
  EXPECT_THAT(notes(profile), testing::IsEmpty());
}

TEST(Notes, ReportAKernelWithoutStolenTime) {
  auto profile = ProfileBuilder(1).built(10 * s);
  profile.ranks[0].is_stolen_known = false;
  EXPECT_THAT(notes(profile), ElementsAre(HasSubstr("the kernel of rank 0 does not report stolen time")));
}

TEST(Notes, ReportTimeAmongUnknownMembers) {
  ProfileBuilder run(2);
  const auto intercommunicator = run.communicator({});
  run.call(0, CallId::Barrier, {0, 2 * s}, {.communicator = intercommunicator});
  EXPECT_THAT(notes(run.built(10 * s)),
              ElementsAre(testing::AllOf(HasSubstr("10.0 % of the ranks' time may be waiting or moving data"),
                                         HasSubstr("in MPI_Barrier (10.0 %)"))));
}

TEST(Notes, IgnoreShortTimesAmongUnknownMembers) {
  ProfileBuilder run(2);
  const auto intercommunicator = run.communicator({});
  run.call(0, CallId::Barrier, {0, s / 100}, {.communicator = intercommunicator});
  EXPECT_THAT(notes(run.built(10 * s)), IsEmpty());
}

TEST(Notes, ReportUnsuccessfulTestsOfUnknownRequests) {
  ProfileBuilder run(2);
  run.in_vain(0, CallId::Test, {0, 4 * s}, s);
  EXPECT_THAT(notes(run.built(10 * s)), ElementsAre(HasSubstr("for 5.0 % of their time ranks tested")));
}

TEST(Notes, ReportMessagesThatWereNotReceived) {
  ProfileBuilder run(2);
  run.call(0, CallId::Send, {0, s}, {.peer = 1, .tag = 0});
  EXPECT_THAT(notes(run.built(10 * s)), ElementsAre(HasSubstr("the receives of 1 messages are not")));
}

/// Rank 0 is in this for 2 of 10 s.
profile::Profile long_call(CallId call) {
  ProfileBuilder run(2);
  run.call(0, call, {0, 2 * s});
  return run.built(10 * s);
}

TEST(Notes, NameUnexplainedCalls) {
  for (const CallId call : {CallId::Comm_spawn, CallId::Comm_accept, CallId::File_read_shared, CallId::Wait,
                            CallId::Neighbor_allgather, CallId::Comm_create_group, CallId::File_write_all})
    EXPECT_THAT(notes(long_call(call)),
                ElementsAre(HasSubstr(fmt::format(
                    "in {} (10.0 %)", profile::call_table()[static_cast<std::size_t>(call)].name))));
}

TEST(Notes, IgnoreCallsThatDoNotWait) {
  for (const CallId call : {CallId::File_write, CallId::Start, CallId::Isend, CallId::Test})
    EXPECT_THAT(notes(long_call(call)), IsEmpty());
}

/// A short send that its receiver's late receive cannot have kept, and something did.
TEST(Notes, ReportShortSendsThatTakeLong) {
  ProfileBuilder run(2);
  run.call(0, CallId::Send, {0, 2 * s}, {.peer = 1, .tag = 0, .bytes = 8});
  run.call(1, CallId::Recv, {s, 2 * s}, {.peer = 0, .tag = 0, .bytes = 8});
  EXPECT_THAT(notes(run.built(10 * s)), ElementsAre(HasSubstr("in MPI_Send (10.0 %)")));
}

/// Between two hosts a message arrives 5 us before it was sent, and one rank leaves a barrier before the
/// other has arrived.
ProfileBuilder apart() {
  ProfileBuilder run(2);
  run.rank(1).host = "elsewhere";
  run.call(0, CallId::Send, {5 * s, 5 * s + 1000}, {.peer = 1, .tag = 0});
  run.call(0, CallId::Barrier, {6 * s, 6 * s + 10});
  run.call(1, CallId::Recv, {5 * s - 9000, 5 * s - 5000}, {.peer = 0, .tag = 0});
  run.call(1, CallId::Barrier, {6 * s - 4000, 6 * s - 3000});
  return run;
}

TEST(Notes, ReportSmallContradictionsOfClocks) {
  EXPECT_THAT(
      notes(apart().built(10 * s)),
      ElementsAre(HasSubstr("clocks of the hosts contradict each other in 2 places, by up to 5.00 us")));
}

TEST(Notes, ReportContradictions) {
  ProfileBuilder run(2);
  run.call(0, CallId::Send, {5 * s, 6 * s}, {.peer = 1, .tag = 0});
  run.call(1, CallId::Recv, {1, 2}, {.peer = 0, .tag = 0});
  run.call(1, CallId::Recv, {2, 3}, {.peer = 0, .tag = 1});
  run.call(0, CallId::Barrier, {6 * s, 6 * s});
  run.call(1, CallId::Allreduce, {6 * s, 6 * s});
  EXPECT_THAT(notes(run.built(10 * s)),
              ElementsAre(HasSubstr("1 messages arrived before they were sent"),
                          HasSubstr("on 1 communicators"), HasSubstr("the sends of 1 messages")));
}

TEST(Account, DividesEachRanksTime) {
  ProfileBuilder run(2);
  run.call(0, CallId::Recv, {2 * s, 7 * s}, {.peer = 1, .tag = 0});
  run.call(1, CallId::Send, {6 * s, 7 * s}, {.peer = 0, .tag = 0});
  auto profile = run.built(10 * s);
  profile.ranks[1].stolen_ns = 2 * s;
  profile.ranks[1].blocked_ns = 3 * s;
  const granularity::RunTimes times = account(profile);
  EXPECT_DOUBLE_EQ(times.run_s, 10);
  EXPECT_TRUE(times.tells_idle);
  EXPECT_TRUE(times.notes.empty());
  ASSERT_EQ(times.ranks.size(), 2u);
  EXPECT_DOUBLE_EQ(times.ranks[0].computing_s, 5);
  EXPECT_DOUBLE_EQ(times.ranks[0].idle_s, 4);
  EXPECT_DOUBLE_EQ(times.ranks[0].communicating_s, 1);
  EXPECT_DOUBLE_EQ(times.ranks[1].computing_s, 4);
  EXPECT_DOUBLE_EQ(times.ranks[1].communicating_s, 1);
  EXPECT_DOUBLE_EQ(times.ranks[1].idle_s, 3);
  EXPECT_DOUBLE_EQ(times.ranks[1].stolen_s, 2);
  EXPECT_EQ(times.ranks[1].host, "somewhere");
}

TEST(Account, TimeStolenWhileDataMoveIsStolen) {
  ProfileBuilder run(2);
  run.call(0, CallId::Recv, {2 * s, 7 * s}, {.peer = 1, .tag = 0});
  run.call(1, CallId::Send, {3 * s, 7 * s}, {.peer = 0, .tag = 0});
  auto profile = run.built(10 * s);
  profile.ranks[0].stolen_inside_ns = 2'500'000'000;  // half of the time in MPI, 1 s of which was waiting
  const granularity::RankTimes times = account(profile).ranks[0];
  EXPECT_DOUBLE_EQ(times.computing_s, 5);
  EXPECT_DOUBLE_EQ(times.idle_s, 1);
  EXPECT_DOUBLE_EQ(times.communicating_s, 2);
  EXPECT_DOUBLE_EQ(times.stolen_s, 2);
}

/// A receive of 6 s for whose message the rank waits 1 s: others had the processor for 4 s of it.
TEST(Account, TimeStolenWithinACallIsStolen) {
  ProfileBuilder run(2);
  run.call(0, CallId::Recv, {1 * s, 7 * s}, {.peer = 1, .tag = 0});
  run.call(0, CallId::Barrier, {7 * s, 9 * s});
  run.call(1, CallId::Send, {2 * s, 3 * s}, {.peer = 0, .tag = 0});
  run.call(1, CallId::Barrier, {9 * s, 9 * s});
  auto profile = run.built(10 * s);
  profile.ranks[0].stolen_inside_ns = 4 * s;
  profile.ranks[0].events[0].stolen_ns = 4 * s;
  const granularity::RankTimes times = account(profile).ranks[0];
  EXPECT_DOUBLE_EQ(times.idle_s, 3);
  EXPECT_DOUBLE_EQ(times.communicating_s, 1);
  EXPECT_DOUBLE_EQ(times.stolen_s, 4);
  double moved_s = 0;
  for (const Loss& loss : losses(Matching(profile)))
    if (loss.state == WaitState::none && loss.call == "MPI_Recv") moved_s += loss.seconds;
  EXPECT_DOUBLE_EQ(moved_s, 1);
}

/// Stolen time while the rank waits is no loss.
TEST(Account, TimeStolenWhileARankWaitsIsIdle) {
  ProfileBuilder run(2);
  run.call(0, CallId::Barrier, {1 * s, 7 * s});
  run.call(1, CallId::Barrier, {7 * s, 7 * s});
  auto profile = run.built(10 * s);
  profile.ranks[0].stolen_inside_ns = profile.ranks[0].events[0].stolen_ns = 4 * s;
  const granularity::RankTimes times = account(profile).ranks[0];
  EXPECT_DOUBLE_EQ(times.idle_s, 6);
  EXPECT_DOUBLE_EQ(times.stolen_s, 0);
}

TEST(Account, ARankThatStartsLateOrFinalizesEarlyIsIdle) {
  ProfileBuilder run(3);
  auto profile = run.built(10 * s);
  profile.ranks[1].begin_ns = 1 * s;
  profile.ranks[1].outside_ns = 9 * s;
  profile.ranks[2].end_ns = 6 * s;
  profile.ranks[2].outside_ns = 6 * s;
  const granularity::RunTimes times = account(profile);
  EXPECT_DOUBLE_EQ(times.ranks[0].idle_s, 0);
  EXPECT_DOUBLE_EQ(times.ranks[1].idle_s, 1);
  EXPECT_DOUBLE_EQ(times.ranks[2].idle_s, 4);
}

TEST(Account, ExtrapolatesNothingOverDroppedEvents) {
  ProfileBuilder run(2);
  run.call(0, CallId::Recv, {0, 2 * s}, {.peer = 1, .tag = 0});
  run.call(1, CallId::Send, {2 * s, 2 * s}, {.peer = 0, .tag = 0});
  auto profile = run.built(10 * s);
  profile.ranks[0].inside_ns = 8 * s;
  profile.ranks[0].outside_ns = 2 * s;
  profile.ranks[0].events_dropped = 3;
  profile.ranks[0].events_end_ns = 2 * s;
  const granularity::RunTimes times = account(profile);
  EXPECT_DOUBLE_EQ(times.ranks[0].idle_s, 2);
  EXPECT_DOUBLE_EQ(times.ranks[0].communicating_s, 6);
  EXPECT_EQ(times.notes.size(), 1u);
}

TEST(Account, IsEmptyWithoutRanks) {
  EXPECT_TRUE(account(profile::Profile{}).ranks.empty());
}

/// Rank 0's [20, 60] and rank 1's [10, 40] count: of rank 0's receive, in [25, 45], that is all of it.
profile::Profile marked() {
  ProfileBuilder run(2);
  run.call(0, CallId::Send, {0, 5}, {.peer = -1});
  run.call(0, CallId::Recv, {25, 45}, {.peer = 1, .tag = 0});
  run.call(1, CallId::Send, {30, 36}, {.peer = 0, .tag = 0});
  run.call(1, CallId::Send, {42, 44}, {.peer = -1});
  profile::Profile profile = run.built(100);
  profile.ranks[0].counted = {{{20, 60}}, 20, 20, 4, 1, 0};
  profile.ranks[1].counted = {{{10, 40}}, 6, 24, 0, 0, 0};
  return profile;
}

TEST(Counted, IsTheTimeThatTheProgramMarks) {
  const profile::Profile profile = marked();
  ASSERT_TRUE(says_what_counts(profile));
  const granularity::RunTimes run = account(Matching(profile), Extent::counted);
  EXPECT_DOUBLE_EQ(run.run_s, 50e-9);  // from 10 to 60
  EXPECT_DOUBLE_EQ(run.ranks[0].computing_s, 15e-9);
  EXPECT_DOUBLE_EQ(run.ranks[0].communicating_s, 15e-9);
  EXPECT_DOUBLE_EQ(run.ranks[0].idle_s, (5 + 1 + 10) * 1e-9);  // late sender, asleep, begins later
  EXPECT_DOUBLE_EQ(run.ranks[0].stolen_s, 4e-9);
  EXPECT_DOUBLE_EQ(run.ranks[1].computing_s, 24e-9);
  EXPECT_DOUBLE_EQ(run.ranks[1].communicating_s, 6e-9);
  EXPECT_DOUBLE_EQ(run.ranks[1].idle_s, 20e-9);
  for (const granularity::RankTimes& rank : run.ranks)
    EXPECT_DOUBLE_EQ(rank.computing_s + rank.communicating_s + rank.idle_s + rank.stolen_s, run.run_s);
  EXPECT_DOUBLE_EQ(account(Matching(profile)).run_s, 100e-9);
}

TEST(Counted, LossesAreThoseOfCallsWithinIt) {
  double sum_s = 0;
  for (const Loss& loss : losses(Matching(marked()), Extent::counted)) sum_s += loss.seconds;
  EXPECT_DOUBLE_EQ(sum_s, (20 + 6 + 1 + 10 + 20) * 1e-9);
}

/// Pauses between the counted intervals are not counted for any rank.
TEST(Counted, MayBeSeveralIntervals) {
  profile::Profile profile = ProfileBuilder(2).built(100);
  for (profile::RankProfile& rank : profile.ranks) rank.counted = {{{10, 20}, {50, 80}}, 0, 40, 0, 0, 0};
  profile.ranks[1].counted->spans[1].end_ns = 90;
  profile.ranks[1].counted->outside_ns = 50;
  const granularity::RunTimes run = account(Matching(profile), Extent::counted);
  EXPECT_DOUBLE_EQ(run.run_s, 50e-9);
  EXPECT_DOUBLE_EQ(run.ranks[0].idle_s, 10e-9);
}

TEST(Counted, IsAllOfARankWithoutMarksAndUnknownWithMissingEvents) {
  profile::Profile profile = marked();
  profile.ranks[1].counted.reset();
  EXPECT_DOUBLE_EQ(account(Matching(profile), Extent::counted).run_s, 100e-9);
  profile.ranks[1].events_dropped = 1;
  EXPECT_FALSE(says_what_counts(profile));
  EXPECT_FALSE(says_what_counts(late_message().built(50)));
}

TEST(Excess, IsFoundAtTheCallBeforeTheExtraComputing) {
  ProfileBuilder run(3);
  for (const int rank : {0, 1, 2}) {
    const std::int64_t later = rank == 0 ? 30 : 0;
    run.call(rank, CallId::Bcast, {10, 12}, {.peer = 0});
    run.call(rank, CallId::Barrier, {20 + later, 21 + later});
    run.call(rank, CallId::Allreduce, {40 + later, 41 + later});
  }
  const std::optional<Excess> excess = excess_of(run.built(90), 0);
  ASSERT_TRUE(excess);
  EXPECT_EQ(excess->from.call, "MPI_Bcast");
  EXPECT_EQ(excess->to.call, "MPI_Barrier");
  EXPECT_DOUBLE_EQ(excess->own_s, 38e-9);
  EXPECT_DOUBLE_EQ(excess->others_s, 8e-9);
}

TEST(Excess, HasNoCallBeforeTheFirstOrAfterTheLast) {
  ProfileBuilder run(2);
  run.call(0, CallId::Barrier, {10, 12});
  run.call(1, CallId::Barrier, {40, 42});
  const profile::Profile profile = run.built(50);
  EXPECT_EQ(excess_of(profile, 0)->from.call, "MPI_Barrier");
  EXPECT_EQ(excess_of(profile, 0)->to.call, "");
  EXPECT_EQ(excess_of(profile, 1)->from.call, "");
  EXPECT_EQ(excess_of(profile, 1)->to.call, "MPI_Barrier");
}

}  // namespace
}  // namespace loadshare::waiting
