#include "runtime/dispatch/dispatcher.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>
#include <tuple>

#include "base/error.hpp"
#include "schedulers/send.hpp"
#include "schedulers/table.hpp"
#include "tests/runtime/dispatch/told.hpp"

namespace loadshare {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Kind = Decision::Kind;
using test::anna, test::ben, test::carl, test::dora;
using test::Scripted, test::scripted, test::Told;

TEST(Dispatcher, EmptyLoopIsFinishedAtOnce) {
  EXPECT_EQ(Told(0, 3).dispatcher.ending(), Ending::finished);
}

TEST(Dispatcher, RejectsWhatIsNoLoop) {
  EXPECT_THROW(Told(-1, 3), UsageError);
  EXPECT_THROW(Dispatcher(1, nullptr), UsageError);
}

TEST(Dispatcher, WhatReturnsIsPublishedAndTheNextGiven) {
  Told told(7, 3);
  told.joined(anna);
  EXPECT_THAT(told.ranges(Kind::give), ElementsAre(Chunk{0, 3}));
  told.returned(anna, told.held(anna));
  EXPECT_THAT(told.ranges(Kind::publish), ElementsAre(Chunk{0, 3}));
  EXPECT_THAT(told.ranges(Kind::give), ElementsAre(Chunk{3, 3}));
  told.returned(anna, told.held(anna));
  told.returned(anna, told.held(anna));
  EXPECT_THAT(told.ranges(Kind::publish), ElementsAre(Chunk{6, 1}));
  EXPECT_EQ(told.decisions.back().ending, Ending::finished);
  EXPECT_EQ(told.dispatcher.committed(), 7);
  told.joined(ben);
  EXPECT_THAT(told.decisions, IsEmpty()) << "after the end";
}

TEST(Dispatcher, BeginsWithTheRangesThatAreLeft) {
  Told told(Dispatcher({{2, 3}, {9, 2}}, std::make_unique<Send>(Send::Parameters{.size = 2})));
  told.joined(anna, 4);
  EXPECT_THAT(told.ranges(Kind::give), ElementsAre(Chunk{2, 2}, Chunk{4, 1}, Chunk{9, 2}));
  EXPECT_EQ(told.dispatcher.iterations(), 5);
}

TEST(Dispatcher, ASchedulerMayCutElsewhere) {
  Scripted::Heard heard;
  Told told = scripted(10, {{2, 4}, {3}, {3, 6}, {1}, {1}}, heard);
  told.joined(anna, 5);
  EXPECT_THAT(told.ranges(Kind::give),
              ElementsAre(Chunk{4, 2}, Chunk{0, 3}, Chunk{6, 3}, Chunk{3, 1}, Chunk{9, 1}));
  EXPECT_EQ(heard.assigned, told.ranges(Kind::give));
}

TEST(Dispatcher, ARequestTellsHowThingsStand) {
  Scripted::Heard heard;
  Told told = scripted(10, {{4}, {3}}, heard);
  told.joined(anna);
  told.now_s = 2;
  told.joined(ben);
  const Request& request = heard.requests.at(1);
  EXPECT_EQ(request.worker, ben);
  EXPECT_EQ(std::tuple(request.first, request.remaining, request.outstanding, request.workers),
            std::tuple(4, 6, 4, 2));
  EXPECT_EQ(request.now_s, 2);
  EXPECT_THAT(heard.joined, ElementsAre(anna, ben));
}

TEST(Dispatcher, TheSchedulerHearsTimes) {
  Scripted::Heard heard;
  Told told = scripted(9, {{3}, {3}, {3}}, heard);
  told.joined(anna, 2);
  told.now_s = 4;
  told.returned(anna, told.held(anna), {.compute_s = 3, .waiting_s = 0.5});
  told.now_s = 10;
  told.returned(anna, told.held(anna));
  ASSERT_EQ(heard.completed.size(), 2u);
  EXPECT_EQ(heard.completed[0].response_s, 4);
  EXPECT_EQ(heard.completed[0].compute_s, 3);
  EXPECT_EQ(heard.completed[0].waiting_s, 0.5);
  EXPECT_EQ(heard.completed[1].chunk, (Chunk{3, 3}));
  EXPECT_EQ(heard.completed[1].response_s, 6) << "it was queued until the one before it returned";
  EXPECT_EQ(heard.completed[1].compute_s, std::nullopt) << "it was not measured";
}

TEST(BadInput, AWorkerCannotHaveHeldAResultLongerThanItHadTheChunk) {
  for (const double held_s : {1e9, -1e9}) {
    Scripted::Heard heard;
    Told told = scripted(6, {{3}, {3}}, heard);
    told.joined(anna, 2);
    told.now_s = 4;
    told.returned(anna, told.held(anna), {.held_s = held_s});
    told.now_s = 10;
    told.returned(anna, told.held(anna));
    ASSERT_EQ(heard.completed.size(), 2u);
    EXPECT_EQ(heard.completed[0].response_s, held_s > 0 ? 0 : 4);
    EXPECT_EQ(heard.completed[0].response_s + heard.completed[1].response_s, 10);
  }
}

TEST(BadInput, ASchedulersBadSizeIsAnError) {
  for (const Index bad : {Index{0}, Index{-1}, Index{11}}) {
    Scripted::Heard heard;
    Told told = scripted(10, {{bad}, {10}}, heard);
    try {
      told.joined(anna);
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::run_failed);
      EXPECT_EQ(std::string(error.what()),
                "the scheduler returned a chunk of " + std::to_string(bad) +
                    " iterations (a size must be from 1 to the 10 that remain); correct its next()");
    }
    told.joined(anna);
    EXPECT_THAT(told.ranges(Kind::give), ElementsAre(Chunk{0, 10})) << "nothing was changed";
  }
}

TEST(BadInput, ACutFromWhatIsTakenOrNowhereIsMadeAtTheFront) {
  constexpr Index last = std::numeric_limits<Index>::max();
  Scripted::Heard heard;
  Told told = scripted(10, {{2, 4}, {1, 5}, {1, -3}, {1, 10}, {1, last}}, heard);
  told.joined(anna, 5);
  EXPECT_THAT(told.ranges(Kind::give),
              ElementsAre(Chunk{4, 2}, Chunk{0, 1}, Chunk{1, 1}, Chunk{2, 1}, Chunk{3, 1}));
}

/// Throws where it is told to.
class Throwing final : public ChunkScheduler {
 public:
  enum class In { next, completed };
  Throwing(In in, int calls) : in_(in), calls_(calls) {}

  Cut next(const Request&) override {
    if (in_ == In::next) count();
    return {1};
  }
  void completed(const ChunkTimes&) override {
    if (in_ == In::completed) count();
  }

 private:
  void count() {
    if (calls_-- == 0) throw std::domain_error("no idea");
  }

  In in_;
  int calls_;
};

TEST(BadInput, WhatASchedulerThrowsIsTheCallers) {
  Told told(Dispatcher(10, std::make_unique<Throwing>(Throwing::In::next, 1)));
  told.joined(anna);
  EXPECT_THROW(told.returned(anna, told.held(anna)), std::domain_error);
  EXPECT_THAT(told.ranges(Kind::publish), ElementsAre(Chunk{0, 1})) << "this was decided before";
  EXPECT_THAT(told.ranges(Kind::give), IsEmpty());
  EXPECT_EQ(
      std::tuple(told.dispatcher.committed(), told.dispatcher.remaining(), told.dispatcher.outstanding()),
      std::tuple(1, 9, 0));

  Told learning(Dispatcher(10, std::make_unique<Throwing>(Throwing::In::completed, 0)));
  learning.joined(anna);
  EXPECT_THROW(learning.returned(anna, learning.held(anna)), std::domain_error);
  EXPECT_EQ(learning.dispatcher.committed(), 1);
}

TEST(Dispatcher, EveryWorkerGetsOneBeforeAnyGetsItsSecond) {
  Told told(100, 1, {.workers_expected = 3});
  told.joined(anna, 3);
  told.joined(ben, 2);
  EXPECT_THAT(told.given_to(), ElementsAre(ben));
  told.joined(carl, 3);
  EXPECT_THAT(told.given_to(), ElementsAre(carl, anna, ben, carl, anna, carl));
  told.joined(dora, 2);
  EXPECT_THAT(told.given_to(), ElementsAre(dora, dora)) << "who comes late gets all at once";
}

TEST(Dispatcher, WhoIsExpectedAndDoesNotComeIsNotWaitedFor) {
  Told told(100, 1, {.workers_expected = 2, .gathering_s = 0.5});
  told.joined(anna, 2);
  EXPECT_EQ(told.dispatcher.next_tick_s(), 0.5);
  told.now_s = 0.5;
  told.tick();
  EXPECT_THAT(told.given_to(), ElementsAre(anna));
  EXPECT_EQ(told.dispatcher.next_tick_s(), std::nullopt);
}

TEST(Dispatcher, WhatALostWorkerHadGoesToOthers) {
  Scripted::Heard heard;
  Told told = scripted(6, {{3}, {3}, {2}, {1}}, heard);
  told.joined(anna);
  told.joined(ben);
  const Assignment late = told.held(anna);
  told.lost_before_it_began(anna);
  EXPECT_THAT(heard.reclaimed, ElementsAre(Chunk{0, 3}));
  EXPECT_THAT(heard.left, ElementsAre(anna));
  told.joined(carl, 2);
  EXPECT_THAT(told.ranges(Kind::give), ElementsAre(Chunk{0, 2}, Chunk{2, 1})) << "cut anew";
  told.returned(anna, late);
  EXPECT_THAT(told.ranges(Kind::discard), ElementsAre(Chunk{}));
}

TEST(Dispatcher, IdleWorkersGetWhatCameBackAtOnce) {
  Told told(3, 3);
  told.joined(anna);
  told.joined(ben);
  EXPECT_THAT(told.decisions, IsEmpty());
  told.lost(anna);
  EXPECT_THAT(told.given_to(), ElementsAre(ben));
}

TEST(Dispatcher, ALostWorkerMayComeBack) {
  Told told(6, 3);
  told.joined(anna);
  const Assignment before = told.held(anna);
  told.lost(anna);
  told.joined(anna);
  EXPECT_EQ(told.held(anna).chunk, before.chunk);
  EXPECT_NE(told.held(anna).id, before.id);
}

TEST(Dispatcher, OnlyBegunChunksAreSuspected) {
  Told told(6, 2);
  told.joined(anna, 2);
  told.tick();
  told.now_s = 1;
  told.tick();      // every worker that was expected has come
  told.lost(anna);  // it had begun [0, 2), and [2, 4) was queued
  told.joined(ben);
  EXPECT_EQ(told.held(ben).chunk, (Chunk{2, 2}));
  told.returned(ben, told.held(ben));
  EXPECT_EQ(told.held(ben).chunk, (Chunk{4, 2}));
  told.returned(ben, told.held(ben));
  EXPECT_EQ(told.held(ben).chunk, (Chunk{0, 2})) << "suspected iterations run last";
}

TEST(Dispatcher, WhatNobodyHadBegunIsNotBlamed) {
  Told told(4, 2, {.crash_limit = 2, .verdict_after_s = 0});
  for (const WorkerId worker : {anna, ben, carl}) {
    told.joined(worker, 2);
    told.lost_before_it_began(worker);  // its input was on its way
  }
  told.joined(dora);
  EXPECT_THAT(told.ranges(Kind::give), ElementsAre(Chunk{0, 2}));
}

TEST(Dispatcher, WhoIsAtALaterChunkHasBegunTheEarlierOnes) {
  Told told(8, 2);
  told.joined(anna, 4);
  told.now_s = 1;
  told.tick();
  const auto held = told.dispatcher.held(anna);
  ASSERT_EQ(held.size(), 4u);
  told.dispatcher.progressed(anna, held[1].id, 0);  // it computes two of them together
  told.lost(anna);
  told.joined(ben);
  for (const Index first : {4, 6, 0, 2}) {
    EXPECT_EQ(told.held(ben).chunk.first, first);
    told.returned(ben, told.held(ben));
  }

  Told drained(8, 2);
  drained.joined(anna, 4);
  drained.dispatcher.progressed(anna, drained.dispatcher.held(anna)[2].id, 1);
  drained.leaving(anna, 5);
  EXPECT_THAT(drained.ranges(Kind::recall), ElementsAre(Chunk{6, 2}));
}

TEST(Dispatcher, AWorkerThatLeavesIsAskedForWhatItHasNotBegun) {
  Scripted::Heard heard;
  Told told = scripted(6, {{2}, {2}, {2}, {2}}, heard);
  told.joined(anna, 3);
  told.leaving(anna, 5);
  EXPECT_THAT(told.ranges(Kind::recall), ElementsAre(Chunk{2, 2}, Chunk{4, 2}));
  EXPECT_THAT(told.ranges(Kind::wait), ElementsAre()) << "nothing is free yet";
  told.handed_back(anna, told.dispatcher.held(anna)[1], {2, 2});
  EXPECT_THAT(told.ranges(Kind::wait), ElementsAre(Chunk{})) << "nobody is there to take it";
  EXPECT_EQ(told.dispatcher.remaining(), 2);
}

TEST(Dispatcher, AWorkerHasLeftWhenItHoldsNothing) {
  Scripted::Heard heard;
  Told told = scripted(6, {{3}, {3}}, heard);
  told.joined(anna);
  told.joined(ben);
  told.leaving(anna, 5);
  EXPECT_THAT(heard.left, IsEmpty());
  told.returned(anna, told.held(anna));
  EXPECT_THAT(heard.left, ElementsAre(anna));
  EXPECT_EQ(told.dispatcher.committed(), 3);
}

TEST(Dispatcher, WhatLeavingWorkersHoldAtTheirDeadlineIsGivenToOthers) {
  Told told(3, 3, {.reissue = Reissue::on});
  told.joined(anna);
  told.leaving(anna, 5);
  told.joined(ben);
  EXPECT_EQ(told.dispatcher.next_tick_s(), 5);
  told.returned(ben, told.held(ben));  // a copy: it had nothing else to do
  EXPECT_EQ(told.decisions.back().ending, Ending::finished);
}

TEST(Dispatcher, NobodyThereIsToldAndEndsTheLoopWhenPatienceIsOver) {
  Told told(3, 3, {.patience_s = 10});
  told.joined(anna);
  told.lost(anna);
  EXPECT_EQ(told.decisions.back().kind, Kind::wait);
  EXPECT_EQ(told.dispatcher.next_tick_s(), 10);
  told.now_s = 10;
  told.tick();
  EXPECT_EQ(told.decisions.back().ending, Ending::stranded);
}

TEST(Dispatcher, TellsWhatItsSchedulerLearned) {
  Told told(Dispatcher(9, built_in_schedulers().make("adaptive:3", {9, 2})));
  told.joined(anna);
  EXPECT_THAT(told.dispatcher.learned().rates, IsEmpty());
  told.now_s = 2;
  told.returned(anna, told.held(anna));
  EXPECT_THAT(told.dispatcher.learned().rates, ElementsAre(1.5));
}

TEST(Dispatcher, SlotsAreUsedAgain) {
  Told told(100'000, 1);
  told.joined(anna, 2);
  while (!told.dispatcher.is_over()) told.returned(anna, told.held(anna));
  EXPECT_EQ(told.dispatcher.slots(), 2u);
}

TEST(Dispatcher, ProgressWithinChunksCounts) {
  Told told(10, 5);
  told.joined(anna);
  told.dispatcher.progressed(anna, told.held(anna).id, 3);
  EXPECT_EQ(told.dispatcher.done(), 3);
  told.dispatcher.progressed(anna, told.held(anna).id, 77);
  EXPECT_EQ(told.dispatcher.done(), 5);
  told.lost(anna);
  EXPECT_EQ(told.dispatcher.done(), 0);
}

TEST(GrowingLoop, IgnoresAnEmptyRangeAndRangesAfterItIsClosed) {
  Told told(2, 2, {.may_grow = true});
  for (const Chunk range : {Chunk{2, 0}, Chunk{2, -1}}) told.dispatcher.opened(range, 0, told.decisions);
  EXPECT_EQ(told.dispatcher.iterations(), 2);
  told.dispatcher.closed(told.decisions);
  told.dispatcher.opened({2, 3}, 0, told.decisions);
  EXPECT_EQ(told.dispatcher.iterations(), 2);
  Told alone(2, 2);
  alone.dispatcher.opened({2, 3}, 0, alone.decisions);
  EXPECT_EQ(alone.dispatcher.iterations(), 2) << "its rules do not let it grow";
}

TEST(GrowingLoop, ComputesAllThatIsOpenedAndEndsWhenItIsClosed) {
  Told told(4, 2, {.may_grow = true});
  told.joined(anna);
  told.dispatcher.opened({10, 2}, 0, told.decisions);
  EXPECT_EQ(told.dispatcher.iterations(), 6);
  for (int chunk = 0; chunk < 3; ++chunk) told.returned(anna, told.held(anna));
  EXPECT_EQ(told.dispatcher.committed(), 6);
  EXPECT_FALSE(told.dispatcher.is_over());
  told.decisions.clear();
  told.dispatcher.closed(told.decisions);
  EXPECT_EQ(told.decisions.back().ending, Ending::finished);
}

}  // namespace
}  // namespace loadshare
