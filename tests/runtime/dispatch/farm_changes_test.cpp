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

TEST_F(TwoHosts, WhereSomethingWasReturnedFailuresAreTheLoopsOwn) {
  told.returned(carl, told.held(carl));
  told.returned(ben, told.held(ben));
  for (int i = 0; i < 5; ++i) {
    fail(anna);
    EXPECT_THAT(set_aside(told), IsEmpty());
  }
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

TEST_F(TwoHosts, AHostThatEndsItsWorkersIsSetAsideBeforeAChunkIsBlamed) {
  told.returned(carl, told.held(carl));
  for (int i = 0; i < 3; ++i) {
    told.lost(anna);
    if (i == 2) break;
    for (int drained = 0; drained < 2; ++drained)  // others take what it had
      told.returned(carl, told.held(carl)), told.returned(dora, told.held(dora));
    told.joined(anna, {.host = 0});
  }
  EXPECT_THAT(set_aside(told), ElementsAre(anna, ben));
  EXPECT_FALSE(told.dispatcher.is_over());
}

TEST_F(TwoHosts, AChunkThatEndsWorkersOfOneHostAloneIsNotTheCulprit) {
  told.returned(carl, told.held(carl));
  const Chunk chunk = told.held(anna).chunk;
  told.lost(ben);
  for (int i = 0; i < 2; ++i) {
    told.lost(anna);
    EXPECT_FALSE(told.dispatcher.is_over());
    told.joined(anna, {.host = 0});
  }
  EXPECT_THAT(set_aside(told), ElementsAre(anna));
  for (int i = 0; i < 3 && told.held(carl).chunk != chunk; ++i) told.returned(carl, told.held(carl));
  EXPECT_EQ(told.held(carl).chunk, chunk);
  EXPECT_FALSE(told.dispatcher.is_over());
}

TEST(LostWorkers, WhoWasToLeaveBlamesNobody) {
  Told told(4, 4, {.most_losses = 1});
  told.joined(anna);
  told.leaving(anna, 5);
  told.lost(anna);
  EXPECT_FALSE(told.dispatcher.is_over());
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
