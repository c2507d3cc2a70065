#include "models/waiting/notes.hpp"

#include <gmock/gmock.h>

#include "tests/models/waiting/profile_builder.hpp"

namespace loadshare::waiting {
namespace {

using profile::CallId;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> notes(const profile::Profile& profile) {
  return notes_of(Matching(profile), 10);
}

TEST(Notes, ACompleteProfileNeedsNone) {
  EXPECT_THAT(notes(ProfileBuilder(2).built(10 * s)), IsEmpty());
}

TEST(Notes, NameWhatTheReaderSaid) {
  auto profile = ProfileBuilder(2).built(10 * s);
  profile.notes = {"rank 1's block 3 is cut short"};
  EXPECT_THAT(notes(profile), ElementsAre("rank 1's block 3 is cut short"));
}

TEST(Notes, TellOfMissingRanks) {
  auto profile = ProfileBuilder(3).built(10 * s);
  profile.ranks.pop_back();
  EXPECT_THAT(notes(profile), ElementsAre(HasSubstr("2 of 3 ranks")));
}

TEST(Notes, TellWhoDidNotFinalize) {
  auto profile = ProfileBuilder(3).built(10 * s);
  profile.ranks[0].has_finalized = profile.ranks[2].has_finalized = false;
  profile.ranks[0].end_ns = 7 * s;
  profile.ranks[1].has_finalized = false;
  profile.ranks[1].ended_by = "SIGTERM";
  profile.ranks[2].open_call.emplace();
  EXPECT_THAT(notes(profile),
              ElementsAre(HasSubstr("when rank 2 ended is not known: the last call"),
                          HasSubstr("what rank 0 did behind the last sign of life is not known: up to 3 s")));
}

TEST(Notes, TellOfManyWhoDidNotFinalizeAtOnce) {
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
          HasSubstr("when ranks 1, 3, 5, 7, 9, 11, 13, 15 and 248 more ended is not known"),
          HasSubstr("what ranks 0, 1, 2, 3, 4, 5, 6, 7 and 504 more did behind the last sign of life is "
                    "not known: up to 6 s")));
}

TEST(Notes, TellTheShareBehindTheFirstEventDropped) {
  ProfileBuilder run(2);
  for (const int rank : {0, 1})
    for (const std::int64_t begin : {0 * s, 5 * s}) run.call(rank, CallId::Put, {begin, begin + s});
  auto profile = run.built(10 * s);
  profile.ranks[1].events_dropped = 1;
  profile.ranks[1].events_end_ns = 4 * s;
  EXPECT_THAT(
      notes(profile),
      ElementsAre(testing::AllOf(HasSubstr("for 50.0 % of the time in MPI, behind the first event of rank 1"),
                                 HasSubstr("the losses by call are of "))));
}

TEST(Notes, TellOfOtherThreads) {
  auto profile = ProfileBuilder(2).built(10 * s);
  profile.ranks[0].calls_of_other_threads = 5;
  profile.ranks[1].other_threads_cpu_ns = s / 5;
  profile.ranks[0].other_threads_cpu_ns = s / 20;  // below 1 % of the run
  EXPECT_THAT(notes(profile), ElementsAre(HasSubstr("other threads of rank 0 called MPI"),
                                          HasSubstr("other threads of rank 1 computed too")));
}

TEST(Notes, DoNotMindWhatMpisOwnThreadsTakeOfAShortRun) {
  auto profile = ProfileBuilder(1).built(s / 1000);
  profile.ranks[0].other_threads_cpu_ns = s / 2000;
  EXPECT_THAT(notes(profile), testing::IsEmpty());
}

TEST(Notes, TellOfAKernelThatDoesNotTellStolenTime) {
  auto profile = ProfileBuilder(1).built(10 * s);
  profile.ranks[0].tells_stolen = false;
  EXPECT_THAT(notes(profile), ElementsAre(HasSubstr("the kernel of rank 0 does not tell stolen time")));
}

TEST(Notes, TellOfTimeAmongUnknownMembers) {
  ProfileBuilder run(2);
  const auto intercommunicator = run.communicator({});
  run.call(0, CallId::Barrier, {0, 2 * s}, {.communicator = intercommunicator});
  EXPECT_THAT(notes(run.built(10 * s)),
              ElementsAre(HasSubstr("for 10.0 % of the ranks' time, in collective")));
}

TEST(Notes, PassOverShortTimesAmongUnknownMembers) {
  ProfileBuilder run(2);
  const auto intercommunicator = run.communicator({});
  run.call(0, CallId::Barrier, {0, s / 10}, {.communicator = intercommunicator});
  EXPECT_THAT(notes(run.built(10 * s)), IsEmpty());
}

TEST(Notes, TellOfTestsInVainForNobodyKnowsWhat) {
  ProfileBuilder run(2);
  run.in_vain(0, CallId::Test, {0, 4 * s}, s);
  EXPECT_THAT(notes(run.built(10 * s)), ElementsAre(HasSubstr("for 5.0 % of the ranks' time they tested")));
}

TEST(Notes, TellOfMessagesThatNobodyReceived) {
  ProfileBuilder run(2);
  run.call(0, CallId::Send, {0, s}, {.peer = 1, .tag = 0});
  EXPECT_THAT(notes(run.built(10 * s)), ElementsAre(HasSubstr("the receives of 1 messages are not")));
}

TEST(Notes, TellOfContradictions) {
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

}  // namespace
}  // namespace loadshare::waiting
