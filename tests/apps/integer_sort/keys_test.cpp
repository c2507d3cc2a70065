#include "apps/integer_sort/keys.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "apps/spmd/parts.hpp"

namespace loadshare::integer_sort {
namespace {

using ::testing::ElementsAre;

const ProblemClass& small = find_class("S");

std::vector<Key> keys_at(spmd::Part places) {
  std::vector<Key> keys(static_cast<std::size_t>(places.size));
  make_keys(small, places.first, keys);
  return keys;
}

TEST(Keys, AreThoseOfTheBenchmark) {
  EXPECT_THAT(keys_at({0, 4}), ElementsAre(1585, 825, 1060, 1343));
}

TEST(Keys, AreTheSameOnAnyNumberOfRanks) {
  const std::vector<Key> whole = keys_at({0, small.keys});
  for (const Index ranks : {2, 4, 64, 512}) {
    std::vector<Key> joined;
    for (Index rank = 0; rank < ranks; ++rank) {
      const std::vector<Key> part = keys_at(spmd::part_of(small.keys, ranks, rank));
      joined.insert(joined.end(), part.begin(), part.end());
    }
    EXPECT_EQ(joined, whole) << ranks;
  }
}

TEST(Keys, AnIterationLaysASmallAndALargeOne) {
  std::vector<Key> keys = keys_at({0, 24});
  const std::vector<Key> before = keys;
  alter(small, 3, keys);
  EXPECT_EQ(keys[3], 3);
  EXPECT_EQ(keys[13], 2045);
  keys[3] = before[3];
  keys[13] = before[13];
  EXPECT_EQ(keys, before);
}

TEST(Keys, AllIterationsLayTwenty) {
  std::vector<Key> keys = keys_at({0, 24});
  std::vector<Key> expected = keys;
  for (Index iteration = 1; iteration <= iterations; ++iteration) alter(small, iteration, keys);
  for (Index place = 0; place < 24; ++place) {
    Key& key = expected[static_cast<std::size_t>(place)];
    key = altered(small, place, key);
  }
  EXPECT_EQ(keys, expected);
  EXPECT_EQ(keys[0], 1585);
  EXPECT_EQ(keys[10], 10);
  EXPECT_EQ(keys[11], 2047);
  EXPECT_EQ(keys[20], 2038);
  EXPECT_EQ(keys[21], keys_at({21, 1}).front());
}

}  // namespace
}  // namespace loadshare::integer_sort
