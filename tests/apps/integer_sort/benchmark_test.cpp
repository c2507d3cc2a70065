#include "apps/integer_sort/benchmark.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace loadshare::integer_sort {
namespace {

// Values 10 to 14, as often as the ranks require; ranks increase by one per iteration.
constexpr ProblemClass made{"made", "", 64, 16, 16, {{{0, 2}, {1, 4}, {2, 4}, {3, 6}, {4, 7}}}};
const std::vector<Count> test_values{10, 11, 12, 13, 14};

/// Correct ranks in iteration 1, with all keys on this rank.
Ranking right_ranking() {
  Ranking ranking;
  ranking.rank(std::vector<Key>{10, 10, 12, 12, 13}, {0, 16}, 3);
  return ranking;
}

PartialChecks all_passed() {
  PartialChecks checks;
  std::ranges::fill(checks.marks(), 1);
  return checks;
}

TEST(PartialChecks, RightRanksPass) {
  PartialChecks checks;
  checks.check(made, 1, test_values, right_ranking());
  EXPECT_EQ(checks.passed(), 5);
}

TEST(PartialChecks, RanksOfAnotherIterationFail) {
  PartialChecks checks = all_passed();
  checks.check(made, 2, test_values, right_ranking());
  EXPECT_EQ(checks.passed(), 45);
  EXPECT_EQ(checks.what_is_wrong(),
            "5 of 50 partial checks failed, the first that of test key 0 in iteration 2");
}

TEST(PartialChecks, OnlyTheRankWithAKeyPassesIt) {
  Ranking ranking;
  ranking.rank(std::vector<Key>{12, 12, 13}, {12, 4}, 5);
  PartialChecks checks;
  checks.check(made, 1, test_values, ranking);
  EXPECT_THAT(checks.marks().first(5), testing::ElementsAre(0, 0, 1, 1, 1));
}

// A check that passed twice, summed over ranks, means that two ranks hold the same values.
TEST(PartialChecks, AKeyOnTwoRanksIsWrong) {
  PartialChecks checks = all_passed();
  checks.marks()[49] = 2;
  EXPECT_EQ(checks.passed(), 49);
  EXPECT_EQ(checks.what_is_wrong(),
            "1 of 50 partial checks failed, the first that of test key 4 in iteration 10");
}

TEST(PartialChecks, NothingFailed) {
  EXPECT_EQ(all_passed().what_is_wrong(), "");
}

}  // namespace
}  // namespace loadshare::integer_sort
