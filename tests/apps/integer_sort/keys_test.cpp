#include "apps/integer_sort/keys.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "apps/spmd/parts.hpp"
#include "base/error.hpp"

namespace loadshare::integer_sort {
namespace {

using ::testing::ElementsAre;

std::vector<Index> ranks_in(const char* name, Index iteration) {
  std::vector<Index> ranks;
  for (const TestKey& key : find_class(name).tests) ranks.push_back(key.rank_in(iteration));
  return ranks;
}

template <class Action>
std::string refusal(Action action) {
  try {
    action();
  } catch (const UsageError& error) {
    return error.what();
  }
  return {};
}

// By "rank_adjust" of tests/data/npb_is.json.
TEST(ProblemClass, TestKeysMoveByIteration) {
  EXPECT_THAT(ranks_in("S", 1), ElementsAre(1, 19, 347, 64916, 65462));
  EXPECT_THAT(ranks_in("S", 10), ElementsAre(10, 28, 356, 64907, 65453));
  EXPECT_THAT(ranks_in("W", 1), ElementsAre(1248, 11697, 1039986, 1043895, 1048017));
  EXPECT_THAT(ranks_in("W", 10), ElementsAre(1257, 11706, 1039977, 1043886, 1048008));
  EXPECT_THAT(ranks_in("A", 1), ElementsAre(104, 17523, 123928, 8288932, 8388264));
  EXPECT_THAT(ranks_in("A", 10), ElementsAre(113, 17532, 123937, 8288923, 8388255));
  EXPECT_THAT(ranks_in("B", 10), ElementsAre(33422927, 10254, 59159, 33135271, 109));
  EXPECT_THAT(ranks_in("C", 10), ElementsAre(61157, 882998, 266300, 133997585, 133525885));
}

TEST(ProblemClass, AnUnknownNameIsRefused) {
  EXPECT_EQ(refusal([] { find_class("D"); }),
            "unknown --class 'D' (valid: S, W, A, B, C); did you mean 'S'?");
  EXPECT_EQ(refusal([] { find_class("a"); }),
            "unknown --class 'a' (valid: S, W, A, B, C); did you mean 'A'?");
}

TEST(ProblemClass, ASizeBetweenTheBenchmarksIsOne) {
  const ProblemClass& size = find_class("2^21");
  EXPECT_THAT((std::vector{size.keys, size.max_key, size.buckets}), ElementsAre(1 << 21, 1 << 17, 1 << 10));
  EXPECT_EQ(find_class("2^13").buckets, 1 << 9);
  EXPECT_EQ(refusal([] { find_class("2^28"); }), "--class is '2^28' (it can be 2^13 to 2^27)");
  EXPECT_EQ(refusal([] { find_class("2^"); }), "--class is '2^' (it can be 2^13 to 2^27)");
}

TEST(ProblemClass, PowersOfTwoShareIt) {
  for (const int ranks : {1, 2, 4, 64, 512})
    EXPECT_EQ(refusal([&] { require_ranks(find_class("S"), ranks); }), "");
  EXPECT_EQ(refusal([] { require_ranks(find_class("A"), 1024); }), "");
}

TEST(ProblemClass, OtherNumbersOfRanksAreRefused) {
  const auto refused = [](const char* name, int ranks) {
    return refusal([&] { require_ranks(find_class(name), ranks); });
  };
  EXPECT_EQ(refused("S", 3),
            "integer_sort needs a power of two as its number of ranks (3 is not one); use 2 or 4");
  EXPECT_EQ(refused("C", 1000),
            "integer_sort needs a power of two as its number of ranks (1000 is not one); use 512 or 1024");
  EXPECT_EQ(refused("S", 511),
            "integer_sort needs a power of two as its number of ranks (511 is not one); use 256 or 512");
  EXPECT_EQ(refused("S", 513),
            "class S has 512 buckets of keys (some of the 513 ranks would never get a key); use at most 512");
  EXPECT_EQ(
      refused("A", 2048),
      "class A has 1024 buckets of keys (some of the 2048 ranks would never get a key); use at most 1024");
}

// 5^13 x 314159265 = 383495196533203125; modulo 2^46, and once more, by Python's integers.
TEST(Generator, BeginsWithKnownNumbers) {
  Generator numbers(0);
  EXPECT_EQ(numbers.next(), 55'909'509'111'989);
  EXPECT_EQ(numbers.next(), 61'155'031'930'969);
}

TEST(Generator, JumpsToAnyPlace) {
  Generator walking(0);
  for (std::uint64_t place = 0; place < 1'000; ++place) {
    Generator jumped(place);
    EXPECT_EQ(jumped.next(), walking.next()) << place;
  }
}

// The period of the sequence is 2^44, so a jump of that length has no effect.
TEST(Generator, JumpsAsFarAsThePeriod) {
  constexpr std::uint64_t period = std::uint64_t{1} << 44;
  EXPECT_EQ(Generator(period).next(), Generator(0).next());
  EXPECT_NE(Generator(period / 2).next(), Generator(0).next());
}

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
