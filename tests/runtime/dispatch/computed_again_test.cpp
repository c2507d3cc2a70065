#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/dispatch/dispatcher.hpp"
#include "tests/runtime/dispatch/told.hpp"

// Chunks that are given again: at the tail, of the silent, and those that failed.
namespace loadshare {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Kind = Decision::Kind;
using test::anna, test::ben, test::carl;
using test::Scripted, test::scripted, test::Told;

// Anna holds [0, 3), Ben [3, 6), and nothing is left.
class Reissued : public ::testing::Test {
 protected:
  Reissued() {
    told.joined(anna);
    told.joined(ben);
    annas = told.held(anna);
    bens = told.held(ben);
  }

  Told told{6, 3, {.reissue = Reissue::on}};
  Assignment annas, bens;
};

TEST_F(Reissued, NeverCopiedThenOldestFirst) {
  const Chunk expected[] = {{0, 3}, {3, 3}, {0, 3}, {3, 3}};
  for (std::uint32_t worker = 2; worker < 6; ++worker) {
    told.joined(WorkerId{worker});
    ASSERT_EQ(told.decisions.size(), 1u);
    EXPECT_TRUE(told.decisions[0].is_copy);
    EXPECT_EQ(told.decisions[0].chunk, expected[worker - 2]);
  }
  told.joined(WorkerId{6});
  EXPECT_THAT(told.decisions, IsEmpty()) << "two copies of each are out";
  EXPECT_EQ(told.dispatcher.outstanding(), 6) << "copies do not count twice";
}

TEST_F(Reissued, TheFirstResultCounts) {
  told.joined(carl);
  const Assignment copy = told.held(carl);
  told.returned(carl, copy);
  EXPECT_THAT(told.ranges(Kind::publish), ElementsAre(Chunk{0, 3}));
  EXPECT_THAT(told.ranges(Kind::cancel), ElementsAre(Chunk{0, 3})) << "nobody waits for Anna's";
  told.returned(anna, annas);
  EXPECT_EQ(told.decisions.at(0).kind, Kind::discard);
  EXPECT_EQ(told.dispatcher.committed(), 3);
  EXPECT_EQ(told.dispatcher.contribution(carl).copies_first, 1);
  EXPECT_EQ(told.dispatcher.contribution(anna).chunks, 0);
}

TEST_F(Reissued, WhatASilentWorkerHoldsIsGivenAgainAndItsLateResultCounts) {
  told.joined(carl);
  told.returned(carl, told.held(carl));  // Anna's; then it copies Ben's
  told.silent(ben);
  EXPECT_EQ(told.dispatcher.remaining(), 0) << "Carl has it";
  told.returned(ben, bens);
  EXPECT_THAT(told.ranges(Kind::publish), ElementsAre(Chunk{3, 3}));
  EXPECT_EQ(told.decisions.back().ending, Ending::finished);
}

TEST_F(Reissued, PartsOfALateResultMayBeThereAlready) {
  Scripted::Heard heard;
  Told late = scripted(9, {{6}, {2}, {3}, {9}}, heard, {.reissue = Reissue::on});
  late.joined(anna);
  const Assignment whole = late.held(anna);
  late.silent(anna);
  late.joined(ben);
  EXPECT_EQ(late.held(ben).chunk, (Chunk{0, 2})) << "cut anew";
  late.returned(ben, late.held(ben));
  late.returned(anna, whole);
  EXPECT_THAT(late.ranges(Kind::publish), ElementsAre(Chunk{2, 4}));
  EXPECT_THAT(late.ranges(Kind::cancel), ElementsAre(Chunk{2, 3})) << "Ben's is not needed any more";
  EXPECT_EQ(late.dispatcher.committed(), 6);
}

TEST_F(Reissued, InPlaceNothingIsGivenWhileItsHolderMayStillWrite) {
  Told told(3, 3);
  told.joined(anna);
  told.silent(anna);
  told.joined(ben);
  EXPECT_THAT(told.decisions, IsEmpty());
  told.lost(anna);
  EXPECT_THAT(told.given_to(), ElementsAre(ben));
}

TEST(Failures, EndTheLoopUnlessAskedOtherwise) {
  Told told(6, 3);
  told.joined(anna);
  told.failed(anna, told.held(anna), 1);
  EXPECT_EQ(told.decisions.back().ending, Ending::failed);
  EXPECT_EQ(told.decisions.back().chunk, (Chunk{1, 1}));
}

TEST(Failures, GoToAnotherWorker) {
  Told told(3, 3, {.on_failure = OnFailure::retry});
  told.joined(anna);
  told.joined(ben);
  told.failed(anna, told.held(anna));
  EXPECT_THAT(told.given_to(), ElementsAre(ben));
  EXPECT_THAT(told.ranges(Kind::give), ElementsAre(Chunk{0, 3}));
}

TEST(Failures, AreHalvedUntilTheIterationIsFoundAndLeftOut) {
  Told told(8, 8, {.on_failure = OnFailure::skip, .retries = 0});
  told.joined(anna);
  while (!told.dispatcher.is_over()) {
    const Assignment held = told.held(anna);
    if (held.chunk.first <= 5 && 5 < held.chunk.end())
      told.failed(anna, held);
    else
      told.returned(anna, held);
  }
  EXPECT_EQ(told.dispatcher.ending(), Ending::gaps);
  EXPECT_EQ(told.dispatcher.skipped(), 1);
  EXPECT_EQ(told.dispatcher.committed(), 7);
}

TEST(Failures, OnWhatOthersHaveFinishedEndNothing) {
  Told told(3, 1, {.reissue = Reissue::on});
  for (const WorkerId worker : {anna, ben, carl}) told.joined(worker);
  const Assignment annas = told.held(anna);
  told.returned(ben, told.held(ben));
  ASSERT_EQ(told.held(ben).chunk, annas.chunk) << "a copy";
  told.returned(ben, told.held(ben));
  ASSERT_EQ(told.dispatcher.committed(), 2);
  told.failed(anna, annas);
  EXPECT_EQ(told.dispatcher.ending(), Ending::open);
}

// While one has it, another could be given a copy, and fail, for ever.
TEST(Failures, AreCountedWhereOthersHaveACopyToo) {
  for (const OnFailure on_failure : {OnFailure::skip, OnFailure::retry}) {
    Told told(1, 1, {.reissue = Reissue::on, .on_failure = on_failure, .retries = 1});
    told.joined(anna);
    told.joined(ben);
    for (int i = 0; i < 6 && !told.dispatcher.is_over(); ++i)
      for (const WorkerId worker : {anna, ben})
        if (told.dispatcher.held_count(worker) > 0) told.failed(worker, told.held(worker));
    EXPECT_EQ(told.dispatcher.ending(), on_failure == OnFailure::skip ? Ending::gaps : Ending::failed);
  }
}

}  // namespace
}  // namespace loadshare
