#include <gtest/gtest.h>

#include "runtime/dispatch/dispatcher.hpp"
#include "schedulers/send.hpp"

namespace loadshare {
namespace {

constexpr WorkerId anna{0}, ben{1}, carl{2}, dora{3};

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
