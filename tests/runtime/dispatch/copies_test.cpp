#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "runtime/dispatch/dispatcher.hpp"
#include "tests/runtime/dispatch/told.hpp"

// Loops whose chunks two workers never compute at the same time, and copies without re-issue.
namespace loadshare {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Kind = Decision::Kind;
using test::anna, test::ben, test::carl, test::dora;
using test::Told;

constexpr double gone_at_s = 12;

// Anna holds [0, 3), Ben [3, 6), no iterations remain, and Carl would take more.
class NoCopies : public ::testing::Test {
 protected:
  explicit NoCopies(DispatchRules rules = {.reissue = Reissue::on, .copies = Copies::never})
      : told(6, 3, rules) {
    for (const WorkerId worker : {anna, ben, carl}) told.joined(worker);
  }
  void expect_nothing_given() { EXPECT_THAT(told.given_to(), IsEmpty()); }
  void tick(double now_s) {
    told.now_s = now_s;
    told.tick();
  }

  Told told;
};

TEST_F(NoCopies, NotAtTheTailThoughReissueIsOn) {
  expect_nothing_given();
  EXPECT_EQ(told.held(anna).landing, Landing::aside);
}

TEST_F(NoCopies, NotForSilentWorkersHoweverLong) {
  told.silent(anna);
  expect_nothing_given();
  tick(1e6);
  expect_nothing_given();
  told.returned(anna, told.held(anna));
  EXPECT_THAT(told.ranges(Kind::publish), ElementsAre(Chunk{0, 3}));
}

TEST_F(NoCopies, NotForAWorkerThatIsLateToLeaveThoughItMayGo) {
  told.leaving(anna, 5);
  tick(6);
  expect_nothing_given();
  EXPECT_TRUE(told.dispatcher.may_go(anna)) << "its process is ended, which ends what it computes";
  told.cut_off(anna, gone_at_s);
  expect_nothing_given();
  tick(gone_at_s);
  EXPECT_THAT(told.given_to(), ElementsAre(carl));
}

TEST_F(NoCopies, ALeaseIsWaitedForToItsEnd) {
  told.cut_off(anna, gone_at_s);
  expect_nothing_given();
  EXPECT_EQ(told.dispatcher.next_tick_s(), gone_at_s);
  tick(gone_at_s - 0.001);
  expect_nothing_given();
  tick(gone_at_s);
  EXPECT_THAT(told.given_to(), ElementsAre(carl));
  EXPECT_EQ(told.held(carl).chunk, (Chunk{0, 3}));
}

TEST_F(NoCopies, ALeaseThatHasRunOutIsNotWaitedFor) {
  told.now_s = gone_at_s;
  told.cut_off(anna, gone_at_s);
  EXPECT_THAT(told.given_to(), ElementsAre(carl));
}

TEST_F(NoCopies, AWorkerThatJoinsAgainHasLostItsChunks) {
  told.cut_off(anna, gone_at_s);
  told.joined(anna);
  EXPECT_THAT(told.given_to(), ElementsAre(carl)) << "it has waited longer";
  EXPECT_EQ(told.dispatcher.held_count(anna), 0u);
  tick(gone_at_s);
  EXPECT_EQ(told.dispatcher.workers_present(), 3);
}

TEST_F(NoCopies, AWorkerThatIsSurelyGoneIsNotWaitedFor) {
  told.cut_off(anna, gone_at_s);
  told.lost(anna);
  EXPECT_THAT(told.given_to(), ElementsAre(carl));
}

TEST_F(NoCopies, AWorkerWithoutChunksHasNoLease) {
  told.cut_off(carl, gone_at_s);
  EXPECT_EQ(told.dispatcher.workers_present(), 2);
  EXPECT_EQ(told.dispatcher.next_tick_s(), std::nullopt);
}

TEST_F(NoCopies, ChunksHandedBackAreGivenAgainImmediately) {
  told.handed_back(anna, told.held(anna), {0, 3});
  EXPECT_THAT(told.given_to(), ElementsAre(carl));
}

TEST_F(NoCopies, LaterEventsOfACutOffWorkerAreIgnored) {
  told.cut_off(anna, gone_at_s);
  for (const auto& event : std::vector<std::function<void()>>{
           [&] { told.silent(anna); }, [&] { told.heard(anna); }, [&] { told.leaving(anna, 1); },
           [&] { told.cut_off(anna, 1); }, [&] { tick(2); }}) {
    event();
    EXPECT_THAT(told.decisions, IsEmpty());
  }
  EXPECT_EQ(told.dispatcher.next_tick_s(), gone_at_s);
}

TEST(NoCopiesAtAll, PatienceCountsWhileALeaseRuns) {
  Told told(6, 3, {.copies = Copies::never, .landing = Landing::aside, .patience_s = 5});
  told.joined(anna);
  told.cut_off(anna, gone_at_s);
  EXPECT_EQ(told.decisions.at(0).kind, Kind::wait) << "and three iterations nobody has";
  told.now_s = 5;
  told.tick();
  EXPECT_EQ(told.dispatcher.ending(), Ending::stranded);
}

TEST(NoCopiesAtAll, AChunkThatEndsItsProcessesIsBlamedWhenTheirLeasesHaveRunOut) {
  // Four times the limit is enough at any rate of losses.
  Told told(1, 1, {.copies = Copies::never, .crash_limit = 1, .verdict_after_s = 0});
  for (const WorkerId worker : {anna, ben, carl, dora}) {
    told.joined(worker);
    told.dispatcher.progressed(worker, told.held(worker).id, 0);
    told.cut_off(worker, told.now_s + 1);
    told.now_s += 1;
    told.tick();
    EXPECT_FALSE(told.dispatcher.is_over());
  }
  told.joined(WorkerId{4});
  told.tick();
  EXPECT_EQ(told.dispatcher.ending(), Ending::culprit);
}

TEST(NoCopiesAtAll, AWorkerThatWasSilentWhenCutOffMakesNothingSuspect) {
  Told told(1, 1, {.copies = Copies::never, .crash_limit = 1, .verdict_after_s = 0});
  told.joined(anna);
  told.dispatcher.progressed(anna, told.held(anna).id, 0);
  told.silent(anna);
  told.cut_off(anna, 1);
  told.now_s = 1;
  told.tick();
  told.joined(ben);
  EXPECT_THAT(told.given_to(), ElementsAre(ben));
}

// An elastic farm without re-issue.
class AsideWithoutReissue : public NoCopies {
 protected:
  AsideWithoutReissue() : NoCopies({.landing = Landing::aside}) {}
};

TEST_F(AsideWithoutReissue, NothingIsCopiedAtTheTail) {
  expect_nothing_given();
  EXPECT_EQ(told.held(anna).landing, Landing::aside);
}

TEST_F(AsideWithoutReissue, ChunksOfSilentWorkersAreGivenAgain) {
  told.silent(anna);
  EXPECT_THAT(told.given_to(), ElementsAre(carl));
  told.returned(carl, told.held(carl));
  EXPECT_THAT(told.ranges(Kind::publish), ElementsAre(Chunk{0, 3}));
  EXPECT_THAT(told.ranges(Kind::cancel), ElementsAre(Chunk{0, 3})) << "nobody waits for Anna's";
}

TEST_F(AsideWithoutReissue, ChunksOfCutOffWorkersAreGivenAgainImmediately) {
  told.cut_off(anna, gone_at_s);
  EXPECT_THAT(told.given_to(), ElementsAre(carl));
}

}  // namespace
}  // namespace loadshare
