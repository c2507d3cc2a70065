#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <tuple>

#include "runtime/dispatch/dispatcher.hpp"
#include "schedulers/table.hpp"
#include "tests/runtime/dispatch/told.hpp"

// What workers say that is wrong, late or twice, and loops at the edge of what can be.
namespace loadshare {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Kind = Decision::Kind;
using test::anna, test::ben, test::carl, test::dora;
using test::Told;

TEST(BadInput, UnknownResultsAreDiscarded) {
  Told told(6, 3);
  told.joined(anna);
  told.joined(ben);
  const Assignment annas = told.held(anna);
  told.returned(ben, annas);
  EXPECT_EQ(told.decisions.at(0).kind, Kind::discard);
  told.returned(WorkerId{77}, {.id = {.slot = 99}});
  EXPECT_EQ(told.decisions.at(0).kind, Kind::discard);
  told.returned(anna, annas);
  told.returned(anna, annas);
  EXPECT_EQ(told.decisions.at(0).kind, Kind::discard) << "the second time";
  told.lost(anna);
  ASSERT_EQ(told.held(ben).id.slot, 1u);
  for (std::uint32_t generation = 0; generation < 4; ++generation) {
    told.returned(WorkerId{UINT32_MAX}, {.id = {0, generation}});
    EXPECT_EQ(told.decisions.at(0).kind, Kind::discard) << "of a slot that nobody uses";
  }
  EXPECT_EQ(told.dispatcher.committed(), 3);
}

// Anna's first chunk is back, and she has the next; of the first she says this and that.
TEST(BadInput, WhatIsSaidOfAnAssignmentThatIsBackChangesNothing) {
  Told told(9, 3, {.reissue = Reissue::on, .on_failure = OnFailure::end});
  told.joined(anna);
  const Assignment back = told.held(anna);
  told.returned(anna, back);
  const Assignment held = told.held(anna);
  for (const auto& [worker, assignment] :
       {std::pair{anna, back}, {ben, held}, {WorkerId{77}, held}, {anna, Assignment{.id = {99, 0}}}}) {
    told.dispatcher.progressed(worker, assignment.id, 2);
    told.failed(worker, assignment, 1);
    EXPECT_THAT(told.decisions, IsEmpty());
    told.handed_back(worker, assignment, held.chunk);
    EXPECT_THAT(told.decisions, IsEmpty());
    EXPECT_FALSE(told.dispatcher.holding(worker, assignment.id));
    EXPECT_FALSE(told.dispatcher.is_open(worker, assignment.id));
  }
  EXPECT_EQ(told.dispatcher.done(), 3);
  EXPECT_THAT(told.dispatcher.held(anna), ElementsAre(held));
}

TEST(BadInput, OnlyTheEndOfAnAssignmentIsHandedBack) {
  constexpr Index most = std::numeric_limits<Index>::max();
  Told told(6, 6);
  told.joined(anna);
  const Assignment held = told.held(anna);
  for (const Chunk range :
       {Chunk{0, 3}, Chunk{2, 3}, Chunk{-1, 7}, Chunk{3, 0}, Chunk{7, -1}, Chunk{5, most}}) {
    told.handed_back(anna, held, range);
    EXPECT_THAT(told.decisions, IsEmpty());
  }
  EXPECT_THAT(told.dispatcher.held(anna), ElementsAre(held));
  told.leaving(anna, 1);
  told.handed_back(anna, held, {4, 2});
  EXPECT_EQ(told.held(anna).chunk, (Chunk{0, 4}));
}

TEST(BadInput, ProgressBeyondTheChunkIsItsEnd) {
  Told told(6, 6);
  told.joined(anna);
  told.dispatcher.progressed(anna, told.held(anna).id, std::numeric_limits<Index>::min());
  EXPECT_EQ(told.dispatcher.done(), 0);
  told.dispatcher.progressed(anna, told.held(anna).id, std::numeric_limits<Index>::max());
  EXPECT_EQ(told.dispatcher.done(), 6);
}

TEST(BadInput, WhoNeverJoinedChangesNothing) {
  Told told(6, 3);
  told.joined(anna);
  for (const WorkerId stranger : {ben, WorkerId{77}, WorkerId{UINT32_MAX}}) {
    told.leaving(stranger, 1);
    EXPECT_THAT(told.decisions, IsEmpty());
    told.lost(stranger);
    EXPECT_THAT(told.decisions, IsEmpty());
    told.silent(stranger);
    told.heard(stranger);
    EXPECT_EQ(told.dispatcher.held_count(stranger), 0u);
  }
  EXPECT_EQ(told.dispatcher.workers_present(), 1);
}

TEST(BadInput, AWindowOfNoneIsOne) {
  Told told(6, 3);
  told.joined(anna, 0);
  EXPECT_THAT(told.ranges(Kind::give), ElementsAre(Chunk{0, 3}));
}

TEST(BadInput, AfterTheEndNothingChanges) {
  Told told(6, 3);
  told.joined(anna);
  told.joined(ben);
  const Assignment annas = told.held(anna), bens = told.held(ben);
  told.failed(anna, annas);
  ASSERT_EQ(told.dispatcher.ending(), Ending::failed);
  const auto expect_nothing = [&] { EXPECT_THAT(told.decisions, IsEmpty()); };
  told.returned(ben, bens), expect_nothing();
  told.returned(anna, annas), expect_nothing();
  told.failed(ben, bens), expect_nothing();
  told.handed_back(ben, bens, bens.chunk), expect_nothing();
  told.dispatcher.progressed(ben, bens.id, 2);
  told.joined(carl), expect_nothing();
  told.silent(ben), expect_nothing();
  told.heard(ben), expect_nothing();
  told.leaving(ben, 1), expect_nothing();
  told.lost(ben), expect_nothing();
  told.tick(), expect_nothing();
  told.dispatcher.opened({6, 3}, 0, told.decisions);
  told.dispatcher.closed(told.decisions);
  expect_nothing();
  EXPECT_EQ(std::tuple(told.dispatcher.done(), told.dispatcher.outstanding(), told.dispatcher.next_tick_s()),
            std::tuple(0, 6, std::nullopt));
}

TEST(BadInput, ALoopWithoutWorkersWaitsAsLongAsPatienceLasts) {
  Told patient(3, 3), told(3, 3, {.patience_s = 10});
  for (Told* loop : {&patient, &told}) {
    EXPECT_EQ(loop->dispatcher.next_tick_s(), std::nullopt);
    loop->now_s = 5;
    loop->tick();
    EXPECT_THAT(loop->ranges(Kind::wait), ElementsAre(Chunk{}));
    loop->now_s = 15;
    loop->tick();
  }
  EXPECT_THAT(patient.decisions, IsEmpty());
  EXPECT_EQ(told.decisions.back().ending, Ending::stranded);
}

TEST(BadInput, OneIterationIsGivenOnce) {
  Told told(1, 3);
  for (const WorkerId worker : {anna, ben, carl}) told.joined(worker, 4);
  EXPECT_EQ(told.held(anna).chunk, (Chunk{0, 1}));
  EXPECT_EQ(told.dispatcher.held_count(ben) + told.dispatcher.held_count(carl), 0u);
  told.returned(anna, told.held(anna));
  EXPECT_EQ(told.decisions.back().ending, Ending::finished);
}

TEST(BadInput, OneIterationIsCopiedTwice) {
  Told told(1, 3, {.reissue = Reissue::on});
  for (const WorkerId worker : {anna, ben, carl, dora}) told.joined(worker, 4);
  for (const WorkerId worker : {anna, ben, carl}) EXPECT_EQ(told.dispatcher.held_count(worker), 1u);
  EXPECT_EQ(told.dispatcher.held_count(dora), 0u);
  told.returned(carl, told.held(carl));
  EXPECT_THAT(told.ranges(Kind::publish), ElementsAre(Chunk{0, 1}));
  EXPECT_EQ(told.decisions.back().ending, Ending::finished);
}

// A million million: what is done and kept follows the chunks, not the iterations.
TEST(BadInput, IterationsBeyondCountingAreAsQuickAsFew) {
  constexpr Index many = Index{1} << 40;
  for (const Reissue reissue : {Reissue::off, Reissue::on}) {
    Told told(Dispatcher(many, built_in_schedulers().make("gss", {many, 4}), {.reissue = reissue}));
    for (const WorkerId worker : {anna, ben, carl, dora}) told.joined(worker, 2);
    told.silent(ben);
    told.lost(carl);
    told.joined(carl, 2);
    int results = 0;
    while (!told.dispatcher.is_over() && results < 10'000)
      for (const WorkerId worker : {anna, ben, carl, dora})
        if (told.dispatcher.held_count(worker) > 0) told.returned(worker, told.held(worker)), ++results;
    EXPECT_EQ(told.dispatcher.ending(), Ending::finished);
    EXPECT_EQ(told.dispatcher.committed(), many);
    EXPECT_LT(results, 1000);
  }
}

}  // namespace
}  // namespace loadshare
