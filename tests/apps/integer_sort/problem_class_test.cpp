#include "apps/integer_sort/problem_class.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "schedulers/error.hpp"

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
  EXPECT_EQ(refusal([] { find_class("D"); }), "unknown --class 'D' (valid: S, W, A, B, C) did you mean 'S'?");
  EXPECT_EQ(refusal([] { find_class("a"); }), "unknown --class 'a' (valid: S, W, A, B, C) did you mean 'A'?");
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
  EXPECT_EQ(refused("S", 3), "integer_sort needs a power of two of ranks (3 is none) use 2 or 4");
  EXPECT_EQ(refused("C", 1000), "integer_sort needs a power of two of ranks (1000 is none) use 512 or 1024");
  EXPECT_EQ(refused("S", 511), "integer_sort needs a power of two of ranks (511 is none) use 256 or 512");
  EXPECT_EQ(refused("S", 513),
            "class S has 512 buckets of keys (some of the 513 ranks would never get a key) use at most 512");
  EXPECT_EQ(
      refused("A", 2048),
      "class A has 1024 buckets of keys (some of the 2048 ranks would never get a key) use at most 1024");
}

}  // namespace
}  // namespace loadshare::integer_sort
