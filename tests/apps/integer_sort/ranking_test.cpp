#include "apps/integer_sort/ranking.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace loadshare::integer_sort {
namespace {

constexpr Key untouched = -1;

/// Writes 0, 1, 2, ... to each bucket in turn. The array begins `offset` keys after a line.
std::vector<Key> written(const std::vector<Count>& sizes, std::size_t lead) {
  const auto size = static_cast<std::size_t>(std::accumulate(sizes.begin(), sizes.end(), 0));
  std::vector<Key> all(lead + size + 1, untouched);
  BucketWriter writer(sizes, std::span(all).subspan(lead, size));
  const Count longest = *std::ranges::max_element(sizes);
  for (Key key = 0; key < longest; ++key)
    for (std::size_t bucket = 0; bucket < sizes.size(); ++bucket)
      if (key < sizes[bucket]) writer.put(bucket, key);
  writer.finish();
  return all;
}

std::vector<Key> expected(const std::vector<Count>& sizes, std::size_t lead) {
  std::vector<Key> all(lead, untouched);
  for (const Count size : sizes)
    for (Key key = 0; key < size; ++key) all.push_back(key);
  all.push_back(untouched);
  return all;
}

// A line has 16 keys: buckets within one, over an edge, of just one, and of several.
TEST(BucketWriter, WritesWhereverLinesBegin) {
  for (const std::vector<Count>& sizes :
       {std::vector<Count>{5}, {16, 16}, {3, 0, 14, 1, 40}, {100, 1, 15, 17}, {0, 0, 33}})
    for (std::size_t lead = 0; lead < 17; ++lead)
      EXPECT_EQ(written(sizes, lead), expected(sizes, lead)) << testing::PrintToString(sizes) << lead;
}

TEST(BucketWriter, WritesNothingUntouched) {
  EXPECT_EQ(written({0, 0}, 2), (std::vector<Key>{untouched, untouched, untouched}));
}

using spmd::Part;
using ::testing::ElementsAre;

// Class S has buckets of four values each.
TEST(Buckets, FourValuesAreOne) {
  const ProblemClass& small = find_class("S");
  const std::vector<Count> sizes = bucket_sizes(small, std::vector<Key>{0, 3, 4, 7, 7, 8, 2047});
  ASSERT_EQ(sizes.size(), 512u);
  EXPECT_EQ((std::vector{sizes[0], sizes[1], sizes[2], sizes[3], sizes[511]}), (std::vector{2, 3, 1, 0, 1}));
}

TEST(Buckets, KeysKeepTheirOrderInABucket) {
  const ProblemClass& small = find_class("S");
  const std::vector<Key> keys{2046, 9, 2, 2044, 3, 8, 0};
  std::vector<Key> out(keys.size());
  put_into_buckets(small, keys, bucket_sizes(small, keys), out);
  EXPECT_THAT(out, ElementsAre(2, 3, 0, 9, 8, 2046, 2044));
}

TEST(Buckets, AllKeysAreStablySorted) {
  const ProblemClass& small = find_class("S");
  std::vector<Key> keys(static_cast<std::size_t>(small.keys));
  make_keys(small, 0, keys);
  std::vector<Key> out(keys.size());
  put_into_buckets(small, keys, bucket_sizes(small, keys), out);
  std::ranges::stable_sort(keys, {}, [&](Key key) { return key / small.bucket_width(); });
  EXPECT_EQ(out, keys);
}

TEST(Buckets, EachRankGetsItsShareAndTheRest) {
  EXPECT_THAT(share_buckets(std::vector<Count>{3, 3, 3, 3}, 2), ElementsAre(Part{0, 2}, Part{2, 2}));
  EXPECT_THAT(share_buckets(std::vector<Count>{3, 4, 3, 2}, 2), ElementsAre(Part{0, 2}, Part{2, 2}));
  EXPECT_THAT(share_buckets(std::vector<Count>{2, 3, 4, 3}, 2), ElementsAre(Part{0, 3}, Part{3, 1}));
  EXPECT_THAT(share_buckets(std::vector<Count>{1, 5, 1, 0, 1, 0}, 1), ElementsAre(Part{0, 5}));
}

// A rank takes at least one bucket; a large one reduces the share of later ranks.
TEST(Buckets, ARankMayHaveNone) {
  EXPECT_THAT(share_buckets(std::vector<Count>{8, 0, 0, 0}, 4),
              ElementsAre(Part{0, 1}, Part{1, 1}, Part{2, 1}, Part{3, 1}));
  EXPECT_THAT(share_buckets(std::vector<Count>{0, 0, 0, 8}, 4),
              ElementsAre(Part{0, 4}, Part{4, 0}, Part{4, 0}, Part{4, 0}));
  EXPECT_THAT(share_buckets(std::vector<Count>{2, 6, 0, 0}, 4),
              ElementsAre(Part{0, 1}, Part{1, 1}, Part{2, 1}, Part{3, 1}));
}

TEST(Buckets, EveryKeyBelongsToARank) {
  for (const ProblemClass& problem : problem_classes().first(2)) {
    std::vector<Key> keys(static_cast<std::size_t>(problem.keys));
    make_keys(problem, 0, keys);
    const std::vector<Count> totals = bucket_sizes(problem, keys);
    for (int ranks = 1; ranks <= problem.buckets; ranks *= 2) {
      const std::vector<Part> parts = share_buckets(totals, ranks);
      ASSERT_EQ(parts.size(), static_cast<std::size_t>(ranks));
      Index next = 0, shared = 0;
      for (const Part part : parts) {
        EXPECT_EQ(part.first, next) << ranks;
        next = part.end();
        shared += keys_in(totals, part);
      }
      EXPECT_EQ(shared, problem.keys) << ranks;
    }
  }
}

TEST(Buckets, KeysInSomeAreCounted) {
  const std::vector<Count> sizes{1, 2, 4, 8};
  EXPECT_EQ(keys_in(sizes, {0, 4}), 15);
  EXPECT_EQ(keys_in(sizes, {1, 2}), 6);
  EXPECT_EQ(keys_in(sizes, {4, 0}), 0);
}

/// Keys from 100 to 107, after 50 smaller ones.
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
