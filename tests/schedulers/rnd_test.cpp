#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/schedulers/sequence.hpp"

namespace loadshare::test {
namespace {

TEST(Rnd, StaysBetweenItsBounds) {
  const Sizes sizes = sequence("rnd", {100'000, 4});
  EXPECT_GE(*std::min_element(sizes.begin(), sizes.end() - 1), 250);
  EXPECT_LE(*std::ranges::max_element(sizes), 12'500);
  EXPECT_GT(std::set<Index>(sizes.begin(), sizes.end()).size(), sizes.size() / 2);
}

TEST(Rnd, EverySizeIsEquallyLikely) {
  std::vector<int> counts(5);
  const Sizes sizes = sequence("rnd:3,7", {50'000, 4});
  for (std::size_t i = 0; i + 1 < sizes.size(); ++i) ++counts.at(static_cast<std::size_t>(sizes[i] - 3));
  for (const int count : counts) EXPECT_NEAR(count, 2000, 200);
}

TEST(Rnd, TheSeedDecides) {
  EXPECT_EQ(sequence("rnd", {1000, 4}), sequence("rnd:seed=1", {1000, 4}));
  EXPECT_NE(sequence("rnd", {1000, 4}), sequence("rnd:seed=2", {1000, 4}));
}

TEST(Rnd, OneSizeIsNoChoice) {
  EXPECT_EQ(sequence("rnd:3,3", {8, 4}), (Sizes{3, 3, 2}));
}

TEST(Rnd, ADefaultGivesWay) {
  EXPECT_EQ(sequence("rnd:min=60", {100, 4}), (Sizes{60, 40}));
  EXPECT_EQ(sequence("rnd:max=1", {3, 4}), (Sizes{1, 1, 1}));
}

TEST(Rnd, RejectsContradictions) {
  EXPECT_EQ(
      error_of("rnd:5,3"),
      "scheduler rnd: min is '5' (it is more than max, which is 3); give a smaller min or a larger max");
}

}  // namespace
}  // namespace loadshare::test
