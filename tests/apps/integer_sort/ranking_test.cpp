#include "apps/integer_sort/ranking.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loadshare::integer_sort {
namespace {

using ::testing::ElementsAre;

/// Keys from 100 to 107, behind 50 lesser ones.
class RankingTest : public testing::Test {
 protected:
  RankingTest() { ranking_.rank(keys_, {100, 8}, 50); }

  std::vector<Key> keys_{104, 101, 107, 104, 101, 101};
  Ranking ranking_;
};

TEST_F(RankingTest, ARankIsTheNumberOfLesserKeys) {
  std::vector<Index> ranks;
  for (Key key = 100; key < 108; ++key) ranks.push_back(ranking_.rank_of(key));
  EXPECT_THAT(ranks, ElementsAre(50, 50, 53, 53, 53, 55, 55, 55));
}

TEST_F(RankingTest, HoldsItsValuesOnly) {
  EXPECT_TRUE(ranking_.holds(100));
  EXPECT_TRUE(ranking_.holds(107));
  EXPECT_FALSE(ranking_.holds(99));
  EXPECT_FALSE(ranking_.holds(108));
}

TEST_F(RankingTest, PutsKeysInOrder) {
  std::vector<Key> sorted(keys_.size());
  ranking_.sort_into(keys_, sorted);
  EXPECT_THAT(sorted, ElementsAre(101, 101, 101, 104, 104, 107));
}

TEST_F(RankingTest, BeginsAnew) {
  ranking_.rank(std::vector<Key>{3, 1}, {1, 3}, 7);
  EXPECT_EQ(ranking_.rank_of(1), 7);
  EXPECT_EQ(ranking_.rank_of(3), 8);
  EXPECT_FALSE(ranking_.holds(104));
}

TEST_F(RankingTest, OfNoValuesHoldsNone) {
  ranking_.rank({}, {108, 0}, 56);
  EXPECT_FALSE(ranking_.holds(108));
  ranking_.sort_into({}, {});
}

}  // namespace
}  // namespace loadshare::integer_sort
