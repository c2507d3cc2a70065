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
using test::Told;

/// Cuts as it is told, and keeps what it hears.
class Scripted final : public ChunkScheduler {
 public:
  struct Heard {
    std::vector<Request> requests;
    std::vector<Chunk> assigned, reclaimed;
    std::vector<ChunkTimes> completed;
    std::vector<WorkerId> joined, left;
  };
  Scripted(std::vector<Cut> cuts, Heard& heard) : cuts_(std::move(cuts)), heard_(heard) {}

  Cut next(const Request& request) override {
    heard_.requests.push_back(request);
    return cuts_.at(next_++);
  }
  void assigned(WorkerId, Chunk chunk) override { heard_.assigned.push_back(chunk); }
  void reclaimed(WorkerId, Chunk chunk) override { heard_.reclaimed.push_back(chunk); }
  void completed(const ChunkTimes& times) override { heard_.completed.push_back(times); }
  void joined(WorkerId worker, const WorkerFacts&) override { heard_.joined.push_back(worker); }
  void left(WorkerId worker) override { heard_.left.push_back(worker); }

 private:
  std::vector<Cut> cuts_;
  std::size_t next_ = 0;
  Heard& heard_;
};

Told scripted(Index iterations, std::vector<Cut> cuts, Scripted::Heard& heard, DispatchRules rules = {}) {
  return Told(Dispatcher(iterations, std::make_unique<Scripted>(std::move(cuts), heard), rules));
}

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
                "the scheduler wants a chunk of " + std::to_string(bad) +
                    " iterations (a size must lie within 1 and the 10 that remain) correct its next()");
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
  told.lost(anna);
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

TEST(Dispatcher, OnlyWhatHadBegunIsBlamed) {
  Told told(4, 2, {.most_losses = 2});
  told.joined(anna, 2);
  told.lost(anna);  // it had begun [0, 2)
  told.joined(ben, 2);
  told.lost(ben);
  EXPECT_EQ(told.decisions.back().ending, Ending::culprit);
  EXPECT_EQ(told.decisions.back().chunk, (Chunk{0, 2}));
}

TEST(Dispatcher, WhoIsAtALaterChunkHasBegunTheEarlierOnes) {
  Told told(8, 2, {.most_losses = 2});
  for (const WorkerId worker : {anna, ben}) {
    told.joined(worker, 4);
    const auto held = told.dispatcher.held(worker);
    ASSERT_EQ(held.size(), 4u);
    told.dispatcher.progressed(worker, held[1].id, 0);  // it computes two of them together
    told.lost(worker);
  }
  EXPECT_EQ(told.decisions.back().ending, Ending::culprit);

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
    told.dispatcher.changed(stranger, {.window = 9}, 0, told.decisions);
    EXPECT_THAT(told.decisions, IsEmpty());
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
  told.dispatcher.withdraw(9, told.decisions);
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

TEST(Nested, CutsAtTheFrontAlone) {
  Scripted::Heard heard;
  Told told = scripted(10, {{2, 4}}, heard, {.is_nested = true});
  told.joined(anna);
  EXPECT_THAT(told.ranges(Kind::give), ElementsAre(Chunk{0, 2})) << "else it could not withdraw from the end";
}

TEST(Nested, OpensNoEmptyRangeAndNothingOnceItIsClosed) {
  Told told(2, 2, {.is_nested = true});
  for (const Chunk range : {Chunk{2, 0}, Chunk{2, -1}}) told.dispatcher.opened(range, 0, told.decisions);
  EXPECT_EQ(told.dispatcher.iterations(), 2);
  told.dispatcher.closed(told.decisions);
  told.dispatcher.opened({2, 3}, 0, told.decisions);
  EXPECT_EQ(told.dispatcher.iterations(), 2);
  Told alone(2, 2);
  alone.dispatcher.opened({2, 3}, 0, alone.decisions);
  EXPECT_EQ(alone.dispatcher.iterations(), 2) << "it is nobody's part";
}

TEST(Nested, OpensWithdrawsAndEndsWhenItIsClosed) {
  Told told(4, 2, {.is_nested = true});
  told.joined(anna);
  told.dispatcher.opened({10, 6}, 0, told.decisions);
  EXPECT_EQ(told.dispatcher.iterations(), 10);
  told.decisions.clear();
  told.dispatcher.withdraw(7, told.decisions);
  EXPECT_THAT(told.ranges(Kind::surrender), ElementsAre(Chunk{10, 6}, Chunk{3, 1})) << "the last first";
  told.returned(anna, told.held(anna));
  told.returned(anna, told.held(anna));
  EXPECT_FALSE(told.dispatcher.is_over());
  told.decisions.clear();
  told.dispatcher.closed(told.decisions);
  EXPECT_EQ(told.decisions.back().ending, Ending::finished);
}

}  // namespace
}  // namespace loadshare
