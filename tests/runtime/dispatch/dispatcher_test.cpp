#include "runtime/dispatch/dispatcher.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "schedulers/send.hpp"
#include "schedulers/table.hpp"

namespace loadshare {
namespace {

constexpr WorkerId anna{0}, ben{1}, carl{2}, dora{3};

Dispatcher sending(Index iterations, Index size, Reissue reissue = Reissue::off) {
  return Dispatcher(iterations, std::make_unique<Send>(Send::Parameters{.size = size}), reissue);
}

void join_all(Dispatcher& dispatcher) {
  for (const WorkerId worker : {anna, ben, carl, dora}) dispatcher.join(worker);
}

// Hands out the sizes it was given, whatever remains, and remembers what it heard.
class Scripted final : public ChunkScheduler {
 public:
  Scripted(std::vector<Index> sizes, std::vector<ChunkTiming>* heard)
      : sizes_(std::move(sizes)), heard_(heard) {}
  Index next_size(WorkerId, Index) override { return sizes_.at(next_++); }
  void completed(const ChunkTiming& timing) override { heard_->push_back(timing); }

 private:
  std::vector<Index> sizes_;
  std::size_t next_ = 0;
  std::vector<ChunkTiming>* heard_;
};

TEST(Dispatcher, CutsThePoolInTurn) {
  Dispatcher dispatcher(70, built_in_schedulers().make("gss", {70, 4}));
  join_all(dispatcher);
  EXPECT_EQ(dispatcher.assign(anna, 0)->chunk, (Chunk{0, 17}));
  EXPECT_EQ(dispatcher.assign(ben, 0)->chunk, (Chunk{17, 13}));
  EXPECT_EQ(dispatcher.assign(anna, 0)->chunk, (Chunk{30, 10})) << "a worker may hold several";
  EXPECT_EQ(dispatcher.remaining(), 30);
  EXPECT_EQ(dispatcher.outstanding(), 40);
  EXPECT_EQ(dispatcher.committed(), 0);
}

TEST(Dispatcher, FinishesWhenEverythingIsCommitted) {
  auto dispatcher = sending(5, 3);
  dispatcher.join(anna);
  const auto first = *dispatcher.assign(anna, 0), second = *dispatcher.assign(anna, 0);
  EXPECT_EQ(second.chunk, (Chunk{3, 2}));
  EXPECT_EQ(dispatcher.assign(anna, 0), std::nullopt);
  EXPECT_EQ(dispatcher.complete(anna, second.id, 1, 1), Commit::first);
  EXPECT_FALSE(dispatcher.finished());
  EXPECT_EQ(dispatcher.complete(anna, first.id, 1, 1), Commit::first);
  EXPECT_TRUE(dispatcher.finished());
  EXPECT_EQ(dispatcher.committed(), 5);
}

TEST(Dispatcher, EmptyLoopIsFinishedAtOnce) {
  auto dispatcher = sending(0, 3);
  dispatcher.join(anna);
  EXPECT_TRUE(dispatcher.finished());
  EXPECT_FALSE(dispatcher.stranded());
  EXPECT_EQ(dispatcher.assign(anna, 0), std::nullopt);
}

TEST(Dispatcher, RejectsWhatIsNoLoop) {
  EXPECT_THROW(sending(-1, 3), UsageError);
  EXPECT_THROW(Dispatcher(1, nullptr), UsageError);
}

TEST(Dispatcher, OnlyJoinedWorkersGetWork) {
  auto dispatcher = sending(9, 3);
  EXPECT_TRUE(dispatcher.stranded());
  EXPECT_EQ(dispatcher.assign(carl, 0), std::nullopt);
  dispatcher.join(carl);
  EXPECT_FALSE(dispatcher.stranded());
  EXPECT_EQ(dispatcher.assign(ben, 0), std::nullopt);
  EXPECT_NE(dispatcher.assign(carl, 0), std::nullopt);
}

TEST(Dispatcher, ALeavingWorkerReturnsWhatItHolds) {
  auto dispatcher = sending(6, 3);
  dispatcher.join(anna);
  const auto held = *dispatcher.assign(anna, 0);
  dispatcher.leave(anna);
  dispatcher.leave(anna);
  EXPECT_EQ(dispatcher.workers_present(), 0);
  EXPECT_TRUE(dispatcher.stranded());
  EXPECT_EQ(dispatcher.assign(anna, 1), std::nullopt);
  EXPECT_EQ(dispatcher.complete(anna, held.id, 2, 1), Commit::first);
  dispatcher.join(anna);
  EXPECT_EQ(dispatcher.assign(anna, 3)->chunk, (Chunk{3, 3}));
}

TEST(Dispatcher, ALostWorkersChunksGoToOthers) {
  auto dispatcher = sending(12, 3);
  join_all(dispatcher);
  const auto first = *dispatcher.assign(anna, 0);
  dispatcher.assign(anna, 0);
  dispatcher.assign(ben, 0);
  EXPECT_EQ(dispatcher.lost(anna), 6);
  EXPECT_EQ(dispatcher.lost(anna), 0);
  EXPECT_EQ(dispatcher.remaining(), 9);
  EXPECT_EQ(dispatcher.complete(anna, first.id, 1, 1), Commit::duplicate) << "too late";
  EXPECT_EQ(dispatcher.assign(ben, 1)->chunk, (Chunk{0, 3})) << "the oldest first";
  EXPECT_EQ(dispatcher.assign(ben, 1)->chunk, (Chunk{3, 3}));
  EXPECT_EQ(dispatcher.assign(ben, 1)->chunk, (Chunk{9, 3}));
}

TEST(Dispatcher, ReturnedRangesAreCutAgain) {
  std::vector<ChunkTiming> heard;
  Dispatcher dispatcher(20, std::make_unique<Scripted>(std::vector<Index>{8, 5, 9, 9}, &heard));
  join_all(dispatcher);
  dispatcher.assign(anna, 0);
  dispatcher.lost(anna);
  EXPECT_EQ(dispatcher.assign(ben, 0)->chunk, (Chunk{0, 5}));
  EXPECT_EQ(dispatcher.assign(ben, 0)->chunk, (Chunk{5, 3})) << "clipped to the range";
  EXPECT_EQ(dispatcher.assign(ben, 0)->chunk, (Chunk{8, 9}));
}

TEST(Dispatcher, ALostWorkerMayComeBack) {
  auto dispatcher = sending(3, 3);
  dispatcher.join(anna);
  const auto before = *dispatcher.assign(anna, 0);
  dispatcher.lost(anna);
  dispatcher.join(anna);
  const auto after = *dispatcher.assign(anna, 1);
  EXPECT_EQ(after.chunk, before.chunk);
  EXPECT_NE(after.id, before.id);
  EXPECT_EQ(dispatcher.complete(anna, before.id, 2, 1), Commit::duplicate);
  EXPECT_EQ(dispatcher.complete(anna, after.id, 2, 1), Commit::first);
}

TEST(Dispatcher, ResultsThatCannotBeAreDuplicates) {
  auto dispatcher = sending(9, 3);
  dispatcher.join(anna);
  const auto held = *dispatcher.assign(anna, 0);
  EXPECT_EQ(dispatcher.complete(ben, held.id, 1, 1), Commit::duplicate) << "another's chunk";
  EXPECT_EQ(dispatcher.complete(anna, {77, 0}, 1, 1), Commit::duplicate) << "a slot never used";
  EXPECT_EQ(dispatcher.complete(anna, {}, 1, 1), Commit::duplicate);
  EXPECT_EQ(dispatcher.complete(anna, {held.id.slot, held.id.generation + 1}, 1, 1), Commit::duplicate);
  EXPECT_EQ(dispatcher.committed(), 0);
  EXPECT_EQ(dispatcher.complete(anna, held.id, 1, 1), Commit::first);
  EXPECT_EQ(dispatcher.complete(anna, held.id, 1, 1), Commit::duplicate) << "twice";
  EXPECT_EQ(dispatcher.committed(), 3);
}

TEST(Dispatcher, ResponseTimeBeginsWithThePreviousReturn) {
  std::vector<ChunkTiming> heard;
  Dispatcher dispatcher(9, std::make_unique<Scripted>(std::vector<Index>{3, 3, 3}, &heard));
  dispatcher.join(anna);
  const auto first = *dispatcher.assign(anna, 10.0), queued = *dispatcher.assign(anna, 11.0);
  dispatcher.complete(anna, first.id, 14.0, 2.5);
  dispatcher.complete(anna, queued.id, 17.0, 2.75);
  const auto later = *dispatcher.assign(anna, 20.0);
  dispatcher.complete(anna, later.id, 21.0, 0.5);
  ASSERT_EQ(heard.size(), 3u);
  EXPECT_EQ(heard[0].response_s, 4.0);
  EXPECT_EQ(heard[0].compute_s, 2.5);
  EXPECT_EQ(heard[0].chunk, (Chunk{0, 3}));
  EXPECT_EQ(heard[0].worker, anna);
  EXPECT_EQ(heard[1].response_s, 3.0) << "it was queued until 14";
  EXPECT_EQ(heard[2].response_s, 1.0) << "from its assignment: the worker was idle before";
}

TEST(Dispatcher, ASchedulersBadSizeIsAnError) {
  for (const Index bad : {Index{0}, Index{-4}, Index{11}}) {
    std::vector<ChunkTiming> heard;
    Dispatcher dispatcher(10, std::make_unique<Scripted>(std::vector<Index>{bad, 10}, &heard));
    dispatcher.join(anna);
    try {
      dispatcher.assign(anna, 0);
      FAIL() << bad;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::run_failed);
      EXPECT_EQ(std::string(error.what()),
                "the scheduler wants a chunk of " + std::to_string(bad) +
                    " iterations (a size must lie within 1 and the 10 that remain) "
                    "correct its next_size()");
    }
    EXPECT_EQ(dispatcher.assign(anna, 0)->chunk, (Chunk{0, 10})) << "nothing was changed";
  }
}

TEST(Dispatcher, TellsWhatAWorkerHolds) {
  auto dispatcher = sending(9, 3);
  dispatcher.join(anna);
  const auto a = *dispatcher.assign(anna, 0), b = *dispatcher.assign(anna, 0),
             c = *dispatcher.assign(anna, 0);
  dispatcher.complete(anna, b.id, 1, 1);
  EXPECT_THAT(dispatcher.held(anna), ::testing::ElementsAre(a, c));
  EXPECT_EQ(dispatcher.held_count(anna), 2u);
  EXPECT_TRUE(dispatcher.held(dora).empty());
  EXPECT_EQ(dispatcher.held_count(dora), 0u);
}

TEST(Dispatcher, SlotsAreUsedAgain) {
  auto dispatcher = sending(1'000'000, 1);
  dispatcher.join(anna);
  while (const auto first = dispatcher.assign(anna, 0)) {
    const auto second = dispatcher.assign(anna, 0);
    ASSERT_EQ(dispatcher.complete(anna, first->id, 1, 1), Commit::first);
    ASSERT_EQ(dispatcher.complete(anna, second->id, 1, 1), Commit::first);
  }
  EXPECT_TRUE(dispatcher.finished());
  EXPECT_EQ(dispatcher.slots(), 2u);
}

// Anna holds [0, 3), Ben [3, 6), and nothing is left.
class Reissued : public ::testing::Test {
 protected:
  Reissued() : dispatcher(6, std::make_unique<Send>(Send::Parameters{.size = 3}), Reissue::on) {
    for (const WorkerId worker : {anna, ben, carl, dora}) dispatcher.join(worker);
    annas = *dispatcher.assign(anna, 0);
    bens = *dispatcher.assign(ben, 1);
  }

  Dispatcher dispatcher;
  Assignment annas, bens;
};

TEST_F(Reissued, LeastCopiedThenOldestFirst) {
  dispatcher.join(WorkerId{4});
  dispatcher.join(WorkerId{5});
  dispatcher.join(WorkerId{6});
  const Chunk expected[] = {{0, 3}, {3, 3}, {0, 3}, {3, 3}};
  for (std::uint32_t worker = 2; worker < 6; ++worker) {
    const auto copy = dispatcher.assign(WorkerId{worker}, 2);
    ASSERT_TRUE(copy);
    EXPECT_TRUE(copy->is_copy);
    EXPECT_EQ(copy->chunk, expected[worker - 2]);
  }
  EXPECT_EQ(dispatcher.assign(WorkerId{6}, 2), std::nullopt) << "two copies of each are out";
  EXPECT_EQ(dispatcher.outstanding(), 6) << "copies do not count twice";
}

TEST_F(Reissued, OnlyIdleWorkersGetCopies) {
  EXPECT_EQ(dispatcher.assign(anna, 2), std::nullopt);
  dispatcher.complete(anna, annas.id, 3, 3);
  const auto copy = dispatcher.assign(anna, 3);
  ASSERT_TRUE(copy);
  EXPECT_EQ(copy->chunk, bens.chunk);
  EXPECT_EQ(dispatcher.assign(anna, 3), std::nullopt) << "it holds the copy";
}

TEST_F(Reissued, FirstResultWins) {
  const auto copy = *dispatcher.assign(carl, 2);
  EXPECT_NE(copy.id.slot, annas.id.slot) << "tables by slot keep the two apart";
  EXPECT_EQ(dispatcher.complete(carl, copy.id, 3, 1), Commit::first);
  EXPECT_EQ(dispatcher.committed(), 3);
  EXPECT_EQ(dispatcher.held_count(anna), 1u) << "still computing it";
  EXPECT_EQ(dispatcher.assign(anna, 3), std::nullopt);
  EXPECT_EQ(dispatcher.complete(anna, annas.id, 4, 1), Commit::duplicate);
  EXPECT_EQ(dispatcher.committed(), 3);
  EXPECT_EQ(dispatcher.held_count(anna), 0u);
}

TEST_F(Reissued, TheOriginalMayWinToo) {
  const auto copy = *dispatcher.assign(carl, 2);
  EXPECT_EQ(dispatcher.complete(anna, annas.id, 3, 1), Commit::first);
  EXPECT_EQ(dispatcher.complete(carl, copy.id, 4, 1), Commit::duplicate);
}

TEST_F(Reissued, AChunkWithAnotherHolderStaysOut) {
  const auto copy = *dispatcher.assign(carl, 2);
  EXPECT_EQ(dispatcher.lost(anna), 0);
  EXPECT_EQ(dispatcher.remaining(), 0);
  EXPECT_EQ(dispatcher.assign(dora, 3)->chunk, annas.chunk) << "it has one holder, like Ben's, and is older";
  EXPECT_EQ(dispatcher.lost(dora), 0);
  EXPECT_EQ(dispatcher.lost(carl), 3) << "nobody else has it";
  EXPECT_EQ(dispatcher.complete(carl, copy.id, 4, 1), Commit::duplicate);
  dispatcher.join(dora);
  const auto anew = *dispatcher.assign(dora, 5);
  EXPECT_EQ(anew.chunk, annas.chunk);
  EXPECT_FALSE(anew.is_copy);
}

TEST_F(Reissued, ALostHolderOfAFinishedChunkGivesNothingBack) {
  const auto copy = *dispatcher.assign(carl, 2);
  dispatcher.complete(carl, copy.id, 3, 1);
  EXPECT_EQ(dispatcher.lost(anna), 0);
  EXPECT_EQ(dispatcher.remaining(), 0);
  EXPECT_EQ(dispatcher.committed(), 3);
}

TEST(Reissue, IsOffUnlessAskedFor) {
  Dispatcher dispatcher(3, std::make_unique<Send>(Send::Parameters{}));
  dispatcher.join(anna);
  dispatcher.join(ben);
  ASSERT_TRUE(dispatcher.assign(anna, 0));
  EXPECT_EQ(dispatcher.assign(ben, 0), std::nullopt);
}

}  // namespace
}  // namespace loadshare
