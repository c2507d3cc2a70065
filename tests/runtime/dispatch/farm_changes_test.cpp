#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/runtime/dispatch/told.hpp"

// Hosts on which everything fails, and what becomes of queues when others come.

namespace loadshare {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Kind = Decision::Kind;
using test::anna, test::ben, test::carl, test::dora;
using test::Told;

std::vector<WorkerId> set_aside(const Told& told) {
  std::vector<WorkerId> found;
  for (const Decision& decision : told.decisions)
    if (decision.kind == Kind::set_aside) found.push_back(decision.worker);
  return found;
}

// Anna and Ben are on host 0, Carl and Dora on host 1; a chunk is an iteration.
class TwoHosts : public ::testing::Test {
 protected:
  TwoHosts() {
    for (const WorkerId worker : {anna, ben, carl, dora})
      told.joined(worker, {.host = to_number(worker) / 2});
  }
  void fail(WorkerId worker) { told.failed(worker, told.held(worker)); }

  Told told{20, 1, {.reissue = Reissue::on, .on_failure = OnFailure::skip, .retries = 1}};
};

TEST_F(TwoHosts, WhereEverythingFailsNobodyGetsMore) {
  told.returned(carl, told.held(carl));
  fail(anna), fail(ben);
  EXPECT_THAT(set_aside(told), IsEmpty());
  fail(anna);
  EXPECT_THAT(set_aside(told), ElementsAre(anna, ben));
  EXPECT_EQ(told.dispatcher.workers_present(), 2);
  for (int i = 0; !told.dispatcher.is_over() && i < 100; ++i)
    for (const WorkerId worker : {carl, dora})
      if (told.dispatcher.held_count(worker) > 0) told.returned(worker, told.held(worker));
  EXPECT_EQ(told.dispatcher.ending(), Ending::finished) << "nothing is left out";
  EXPECT_EQ(told.dispatcher.committed(), 20);
}

TEST_F(TwoHosts, WhoComesFromThereAgainIsSetAsideAtOnce) {
  told.returned(carl, told.held(carl));
  fail(anna), fail(ben), fail(anna);
  told.lost(anna);
  told.joined(anna, {.host = 0});
  EXPECT_THAT(set_aside(told), ElementsAre(anna));
  EXPECT_THAT(told.given_to(), IsEmpty());
}

TEST_F(TwoHosts, WhatComesBackBetweenShowsThatItsHostIsSound) {
  told.returned(carl, told.held(carl));
  for (int i = 0; i < 3; ++i) {
    fail(anna), fail(anna);
    EXPECT_THAT(set_aside(told), IsEmpty());
    told.returned(ben, told.held(ben));
  }
}

TEST_F(TwoHosts, AHostMayFailLater) {
  for (const WorkerId worker : {carl, anna, ben}) told.returned(worker, told.held(worker));
  fail(anna), fail(ben);
  EXPECT_THAT(set_aside(told), IsEmpty());
  fail(anna);
  EXPECT_THAT(set_aside(told), ElementsAre(anna, ben));
}

TEST_F(TwoHosts, WhereAllHostsFailItIsTheLoop) {
  for (const WorkerId worker : {anna, carl}) told.returned(worker, told.held(worker));
  for (const WorkerId worker : {dora, anna, ben, anna, ben}) {
    fail(worker);
    EXPECT_THAT(set_aside(told), IsEmpty());
  }
}

TEST_F(TwoHosts, WhatFailsElsewhereTooIsNotTheHostsFault) {
  told.returned(carl, told.held(carl));
  const Chunk bad = told.held(anna).chunk;
  fail(anna), fail(ben), fail(anna);
  ASSERT_THAT(set_aside(told), ElementsAre(anna, ben));
  for (int i = 0; i < 20 && told.held(carl).chunk != bad; ++i) told.returned(carl, told.held(carl));
  ASSERT_EQ(told.held(carl).chunk, bad);
  fail(carl);
  EXPECT_EQ(told.dispatcher.workers_present(), 4);
  EXPECT_EQ(told.dispatcher.skipped(), 1) << "it is the iteration that is left out";
}

TEST_F(TwoHosts, WhereNothingWasReturnedElsewhereItMayBeTheLoop) {
  for (int i = 0; i < 3; ++i) {
    fail(anna);
    EXPECT_THAT(set_aside(told), IsEmpty());
  }
}

TEST_F(TwoHosts, WhatFailedElsewhereBeforeTellsNothing) {
  told.returned(carl, told.held(carl));
  const Chunk bad = told.held(dora).chunk;
  fail(dora);
  fail(anna), fail(ben);
  // The next that Anna gets is what Dora or Ben failed on.
  EXPECT_TRUE(told.held(anna).chunk == bad || told.held(anna).chunk.first < 4);
  fail(anna);
  EXPECT_THAT(set_aside(told), IsEmpty());
}

// Processes of one host and one worker, none of whom comes again.
TEST_F(TwoHosts, AHostThatEndsItsWorkersIsSetAsideBeforeAChunkIsBlamed) {
  told.returned(carl, told.held(carl));
  told.lost(ben);
  told.returned(carl, told.held(carl)), told.returned(carl, told.held(carl));
  told.lost(anna);
  EXPECT_THAT(set_aside(told), IsEmpty());
  told.joined(WorkerId{4}, {.host = 0});
  told.lost(WorkerId{4});
  EXPECT_THAT(set_aside(told), ElementsAre(WorkerId{4}));
  told.joined(WorkerId{5}, {.host = 0});
  EXPECT_THAT(set_aside(told), ElementsAre(WorkerId{5}));
  for (int i = 0; i < 100 && !told.dispatcher.is_over(); ++i)
    for (const WorkerId worker : {carl, dora})
      if (told.dispatcher.held_count(worker) > 0) told.returned(worker, told.held(worker));
  EXPECT_EQ(told.dispatcher.ending(), Ending::finished);
}

/// Three processes of host 0 are lost, before any worker has returned a chunk.
class ThreeLostAtOnce : public TwoHosts {
 protected:
  ThreeLostAtOnce() {
    told.lost(anna);
    for (std::uint32_t number = 4; number < 6; ++number) {
      told.joined(WorkerId{number}, {.host = 0});
      told.lost(WorkerId{number});
    }
    EXPECT_THAT(set_aside(told), IsEmpty());
  }
  void expect_good_end() {
    for (int i = 0; i < 100 && !told.dispatcher.is_over(); ++i)
      for (const WorkerId worker : {carl, dora})
        if (told.dispatcher.held_count(worker) > 0) told.returned(worker, told.held(worker));
    EXPECT_EQ(told.dispatcher.ending(), Ending::finished);
  }
};

TEST_F(ThreeLostAtOnce, OthersGetTheirChunksOnceTheHostIsAside) {
  told.joined(WorkerId{6}, {.host = 0});
  told.returned(carl, told.held(carl));
  fail(WorkerId{6});
  EXPECT_THAT(set_aside(told), ElementsAre(ben, WorkerId{6}));
  expect_good_end();
}

TEST_F(TwoHosts, AProcessIsLostOnceHoweverManyWorkersItHad) {
  for (std::uint32_t number = 4; number < 8; ++number)
    told.joined(WorkerId{number}, {.host = 0, .process = WorkerId{4}});
  told.returned(carl, told.held(carl));
  for (std::uint32_t number = 4; number < 8; ++number) {
    told.lost(WorkerId{number});
    EXPECT_THAT(set_aside(told), IsEmpty());
  }
  told.joined(WorkerId{8}, {.host = 0});
  EXPECT_THAT(set_aside(told), IsEmpty()) << "the owner started his workstation anew";
}

TEST_F(TwoHosts, WhoComesAgainClearsItsHost) {
  told.joined(WorkerId{4}, {.host = 0});
  told.joined(WorkerId{5}, {.host = 0});
  told.returned(carl, told.held(carl));
  for (const WorkerId worker : {anna, ben, WorkerId{4}}) told.lost(worker);
  ASSERT_EQ(told.dispatcher.workers_present(), 2) << "their neighbour is aside";
  told.joined(anna, {.host = 0});
  EXPECT_THAT(set_aside(told), IsEmpty());
  EXPECT_EQ(told.dispatcher.workers_present(), 4) << "with the neighbour, who hears of it at once";
  EXPECT_THAT(told.given_to(), testing::Contains(anna));
}

TEST_F(TwoHosts, WhenAllAreCutOffAndComeAgainNobodyIsBlamed) {
  constexpr WorkerId emil{4}, fred{5};
  const auto host = [](WorkerId worker) {
    return worker == emil || worker == anna || worker == ben ? 0u : 1u;
  };
  for (const WorkerId worker : {emil, fred}) told.joined(worker, {.host = host(worker)});
  while (told.dispatcher.remaining() > 0) told.returned(carl, told.held(carl));
  told.returned(carl, told.held(carl));  // and copies what another has
  for (int round = 0; round < 5; ++round) {
    told.now_s += 20;
    told.tick();
    EXPECT_FALSE(told.dispatcher.is_over());
    for (const WorkerId worker : {anna, ben, emil, carl, dora, fred}) told.lost(worker);
    told.now_s += 20;
    told.tick();
    for (const WorkerId worker : {dora, carl, fred, ben, anna, emil}) {
      told.joined(worker, {.host = host(worker)});
      EXPECT_THAT(set_aside(told), IsEmpty());
      told.tick();
    }
    EXPECT_EQ(told.dispatcher.workers_present(), 6);
  }
  for (int i = 0; i < 100 && !told.dispatcher.is_over(); ++i)
    for (const WorkerId worker : {anna, ben, carl, dora, emil, fred})
      if (told.dispatcher.held_count(worker) > 0) told.returned(worker, told.held(worker));
  EXPECT_EQ(told.dispatcher.ending(), Ending::finished);
}

// One iteration of 400, on hosts that cannot be distinguished: a first process was lost with it. All other
// iterations were computed since, in a second each.
class DeadlyIteration : public ::testing::Test {
 protected:
  DeadlyIteration() { start(OnFailure::end); }
  /// Anna's host is the first, Emil's the second.
  void start(OnFailure on_failure, std::uint32_t annas_host = WorkerFacts::unknown_host) {
    told.emplace(
        400, 1,
        DispatchRules{.on_failure = on_failure, .crash_limit = 3, .verdict_after_s = 10, .patience_s = 60});
    told->joined(anna, {.host = annas_host});
    told->lost(anna);
    told->joined(emil, {.host = 1});
    for (int i = 1; i < 400; ++i) {
      told->now_s += 1;
      if (i == 399) told->leaving(emil, told->now_s + 10);
      told->returned(emil, told->held(emil));
    }
    EXPECT_EQ(told->dispatcher.committed(), 399) << "it runs last";
    told->now_s = 0;
  }
  void lose_each_of(std::initializer_list<WorkerId> workers, const WorkerFacts& facts = {}) {
    for (const WorkerId worker : workers) {
      told->joined(worker, facts);
      told->lost(worker);
      told->now_s += 1;
    }
  }

  static constexpr WorkerId emil{4};
  std::optional<Told> told;
};

TEST_F(DeadlyIteration, IsNamedWhenNoLostProcessJoinsAgain) {
  lose_each_of({ben, carl});
  told->joined(dora);
  EXPECT_THAT(told->given_to(), IsEmpty()) << "it gets nobody else";
  told->now_s = *told->dispatcher.next_tick_s();
  EXPECT_EQ(told->now_s, 12) << "ten seconds after somebody was there";
  told->tick();
  EXPECT_EQ(told->dispatcher.ending(), Ending::culprit);
  EXPECT_EQ(told->decisions.back().chunk, (Chunk{0, 1}));
}

TEST_F(DeadlyIteration, IsNamedWhenPatienceIsOver) {
  lose_each_of({ben, carl});
  told->now_s = 60.5;
  told->tick();
  EXPECT_FALSE(told->dispatcher.is_over());
  told->now_s = 61;
  told->tick();
  EXPECT_EQ(told->dispatcher.ending(), Ending::culprit);
}

TEST_F(DeadlyIteration, IsClearedWhenTheSameWorkerJoinsAgain) {
  for (int i = 0; i < 5; ++i) lose_each_of({anna, ben});
  told->joined(dora);
  EXPECT_THAT(told->given_to(), ElementsAre(dora));
  told->lost(dora);
  told->joined(ben);
  EXPECT_THAT(told->given_to(), IsEmpty()) << "it rests for a second";
  told->now_s = *told->dispatcher.next_tick_s();
  told->tick();
  EXPECT_THAT(told->given_to(), ElementsAre(ben)) << "two are not enough";
  told->returned(ben, told->held(ben));
  EXPECT_EQ(told->dispatcher.ending(), Ending::finished);
}

TEST_F(DeadlyIteration, IsGivenAgainToAWaitingWorkerWhenOneJoinsAgain) {
  lose_each_of({ben, carl});
  told->joined(dora);
  ASSERT_THAT(told->given_to(), IsEmpty());
  told->joined(anna);
  EXPECT_THAT(told->given_to(), ElementsAre(dora));
}

TEST_F(DeadlyIteration, IsLeftOutIfFailuresAreSkipped) {
  start(OnFailure::skip);
  lose_each_of({ben, carl});
  told->joined(dora);
  told->now_s = *told->dispatcher.next_tick_s();
  told->tick();
  EXPECT_THAT(told->ranges(Kind::skip), ElementsAre(Chunk{0, 1}));
  EXPECT_EQ(told->decisions.front().ending, Ending::culprit) << "which says why";
  EXPECT_EQ(told->dispatcher.ending(), Ending::gaps);
}

TEST_F(DeadlyIteration, IsClearedIfItsHostIsToBlame) {
  start(OnFailure::end, 0);
  lose_each_of({ben, carl}, {.host = 0});
  told->joined(emil, {.host = 1});
  told->now_s += 20;
  told->tick();
  EXPECT_THAT(set_aside(*told), ElementsAre(carl)) << "the other host is sound";
  told->returned(emil, told->held(emil));
  EXPECT_EQ(told->dispatcher.ending(), Ending::finished);
}

TEST_F(DeadlyIteration, IsNamedThoughNoWorkerStaysForLong) {
  lose_each_of({ben, carl});
  for (int round = 0; round < 3; ++round) {
    EXPECT_FALSE(told->dispatcher.is_over());
    told->joined(dora);
    told->now_s += 4;
    told->tick();
    told->lost(dora);
  }
  EXPECT_EQ(told->dispatcher.ending(), Ending::culprit);
}

TEST(LostWorkers, OneProcessGetsOneSuspectedChunkAtATime) {
  Told told(2, 1);
  for (const WorkerId worker : {anna, ben}) told.joined(worker, {.process = anna});
  for (const WorkerId worker : {anna, ben}) {
    told.dispatcher.progressed(worker, told.held(worker).id, 0);
    told.lost_before_it_began(worker);
  }
  told.joined(carl, {.process = carl});
  told.joined(dora, {.process = carl});
  EXPECT_EQ(told.dispatcher.held_count(carl) + told.dispatcher.held_count(dora), 1u);
  told.returned(carl, told.held(carl));
  EXPECT_EQ(told.dispatcher.held_count(carl) + told.dispatcher.held_count(dora), 1u);
  EXPECT_EQ(told.dispatcher.committed(), 1);
}

TEST(LostWorkers, NobodyGetsACopyOfWhatEndsThemAll) {
  Told told(1, 1, {.reissue = Reissue::on, .crash_limit = 3});
  told.joined(dora);
  for (const WorkerId worker : {anna, ben, carl}) {
    told.joined(worker);
    ASSERT_THAT(told.given_to(), ElementsAre(worker));
    told.lost(worker);
  }
  told.joined(WorkerId{4});
  EXPECT_THAT(told.given_to(), IsEmpty());
  told.returned(dora, told.held(dora));
  EXPECT_EQ(told.dispatcher.ending(), Ending::finished);
}

TEST(LostWorkers, OthersOfTheirProcessGetNothingInBetween) {
  Told told(1, 1, {.crash_limit = 2});
  for (const WorkerId worker : {anna, ben}) told.joined(worker, {.process = anna});
  told.joined(carl);
  told.lost(anna);
  EXPECT_THAT(told.given_to(), ElementsAre(carl));
  told.lost(ben);
  told.joined(ben, {.process = anna});
  EXPECT_EQ(told.dispatcher.workers_present(), 2);
}

TEST(SilentWorkers, OthersOfTheirProcessGetNothingInBetween) {
  Told told(3, 1, {.reissue = Reissue::on});
  told.joined(anna, {.process = anna});
  told.joined(carl, 2);
  told.joined(ben, {.process = anna});  // and waits for one of Carl's
  told.silent(anna);
  EXPECT_THAT(told.given_to(), IsEmpty());
  told.silent(ben);
  told.heard(anna), told.heard(ben);
  EXPECT_THAT(told.given_to(), ElementsAre(ben));
  EXPECT_EQ(told.dispatcher.workers_present(), 3);
}

TEST(LostWorkers, WhoWasToLeaveBlamesNobody) {
  Told told(4, 4, {.crash_limit = 1});
  told.joined(anna);
  told.leaving(anna, 5);
  told.lost(anna);
  EXPECT_FALSE(told.dispatcher.is_over());
}

TEST(LostWorkers, WhoWasSilentBlamesNobody) {
  Told told(1, 1, {.reissue = Reissue::on, .crash_limit = 3, .verdict_after_s = 0});
  for (const WorkerId worker : {anna, ben, carl}) {
    told.joined(worker);
    told.silent(worker);
    told.lost(worker);  // its owner had suspended it, and then ended it
  }
  told.joined(dora);
  EXPECT_THAT(told.given_to(), ElementsAre(dora));
}

// Anna has begun one chunk and queued four, and nothing is left.
class LongQueue : public ::testing::Test {
 protected:
  LongQueue() {
    told.now_s = 1;
    told.joined(anna, 5);
    told.now_s = 2;
    told.tick();  // whoever was to come at the start has come
  }

  Told told{5, 1, {.reissue = Reissue::on}};
};

TEST_F(LongQueue, WhoComesGetsItsShareOfWhatOthersHaveNotBegun) {
  ASSERT_EQ(told.dispatcher.held_count(anna), 5u);
  told.joined(ben, 5);
  EXPECT_THAT(told.ranges(Kind::recall), ElementsAre(Chunk{4, 1}, Chunk{3, 1}));
  EXPECT_THAT(told.given_to(), IsEmpty()) << "it waits for that, and copies nothing";
  const auto annas = told.dispatcher.held(anna);
  told.handed_back(anna, annas[4], {4, 1});
  EXPECT_THAT(told.given_to(), ElementsAre(ben));
  told.handed_back(anna, annas[3], {3, 1});
  EXPECT_THAT(told.given_to(), ElementsAre(ben)) << "Anna has more";
  EXPECT_EQ(told.dispatcher.held_count(anna), 3u);
  EXPECT_EQ(told.dispatcher.held_count(ben), 2u);
}

TEST_F(LongQueue, WhatWasBegunMeanwhileIsCopied) {
  told.joined(ben, 1);
  EXPECT_THAT(told.ranges(Kind::recall), ElementsAre(Chunk{4, 1}));
  for (int i = 0; i < 5 && told.given_to().empty(); ++i) told.returned(anna, told.held(anna));
  EXPECT_TRUE(told.dispatcher.is_over()) << "Anna was quicker";
}

TEST_F(LongQueue, WhoLeavesIsAskedOnceOnly) {
  told.joined(ben, 5);
  told.leaving(anna, 9);
  EXPECT_THAT(told.ranges(Kind::recall), ElementsAre(Chunk{1, 1}, Chunk{2, 1}));
}

}  // namespace
}  // namespace loadshare
