#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/dispatch/dispatcher.hpp"
#include "tests/runtime/dispatch/told.hpp"

// A loop that is asked to end early.
namespace loadshare {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Kind = Decision::Kind;
using test::anna, test::ben, test::carl;
using test::Told;

Ending ending_told(const Told& told) {
  return told.decisions.empty() ? Ending::open : told.decisions.back().ending;
}

TEST(Drain, BegunChunksFinishAndTheRestIsHandedBack) {
  Told told(20, 2);
  told.joined(anna, 3);
  told.joined(ben, 1);
  ASSERT_EQ(told.dispatcher.held_count(anna), 3u);
  told.drain();
  EXPECT_THAT(told.ranges(Kind::recall), ElementsAre(Chunk{2, 2}, Chunk{4, 2}))
      << "all but the oldest of each";
  const std::vector<Assignment> annas = told.dispatcher.held(anna);
  told.handed_back(anna, annas[2], annas[2].chunk);
  told.handed_back(anna, annas[1], annas[1].chunk);
  EXPECT_THAT(told.given_to(), IsEmpty());
  told.returned(anna, annas[0]);
  EXPECT_THAT(told.given_to(), IsEmpty());
  told.tick();
  EXPECT_EQ(ending_told(told), Ending::open) << "ben computes";
  told.returned(ben, told.held(ben));
  EXPECT_EQ(told.dispatcher.next_tick_s(), 0);
  told.tick();
  EXPECT_EQ(ending_told(told), Ending::drained);
  EXPECT_EQ(told.dispatcher.committed(), 4);
  EXPECT_EQ(told.dispatcher.remaining(), 16);
}

TEST(Drain, AWorkerThatJoinsLaterGetsNothing) {
  Told told(20, 2);
  told.joined(anna);
  told.drain();
  told.joined(ben);
  EXPECT_THAT(told.decisions, IsEmpty());
  told.silent(anna);
  told.heard(anna);
  told.failed(anna, told.held(anna));
  EXPECT_EQ(ending_told(told), Ending::failed) << "that is more than a drain";
}

TEST(Drain, BeforeAnyWorkerJoinedEndsImmediately) {
  Told told(20, 2);
  told.drain();
  told.tick();
  EXPECT_EQ(ending_told(told), Ending::drained);
  told.joined(anna);
  EXPECT_THAT(told.decisions, IsEmpty());
}

TEST(Drain, OfALoopWhoseLastChunksAreOutIsItsOrdinaryEnd) {
  Told told(4, 2);
  told.joined(anna);
  told.joined(ben);
  told.drain();
  told.returned(anna, told.held(anna));
  told.returned(ben, told.held(ben));
  EXPECT_EQ(ending_told(told), Ending::finished);
}

TEST(Drain, DoesNotWaitForLostOrSilentWorkers) {
  Told told(20, 2, {.reissue = Reissue::on});
  for (const WorkerId worker : {anna, ben, carl}) told.joined(worker);
  told.drain();
  told.lost_before_it_began(anna);
  told.silent(ben);
  EXPECT_THAT(told.given_to(), IsEmpty());
  told.returned(carl, told.held(carl));
  told.tick();
  EXPECT_EQ(ending_told(told), Ending::drained);
}

TEST(Drain, WithoutWorkersIsNotStranded) {
  Told told(20, 2, {.patience_s = 0});
  told.joined(anna);
  told.drain();
  told.returned(anna, told.held(anna));
  told.leaving(anna, 0);
  told.tick();
  EXPECT_EQ(told.dispatcher.ending(), Ending::drained);
}

}  // namespace
}  // namespace loadshare
