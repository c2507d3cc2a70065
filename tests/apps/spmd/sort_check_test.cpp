#include "apps/spmd/sort_check.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <vector>

namespace loadshare::spmd {
namespace {

Fingerprint of(std::initializer_list<std::uint64_t> keys) {
  Fingerprint fingerprint;
  for (const std::uint64_t key : keys) fingerprint.add(key);
  return fingerprint;
}

TEST(Fingerprint, DoesNotDependOnTheOrder) {
  EXPECT_EQ(of({3, 1, 2}), of({1, 2, 3}));
}

TEST(Fingerprint, DependsOnEachKeyAndItsCount) {
  EXPECT_NE(of({1, 2}), of({1, 3}));
  EXPECT_NE(of({1, 1, 2}), of({1, 2, 2}));
  EXPECT_NE(of({1, 4}), of({2, 3}));  // with the same sum
  EXPECT_NE(of({0}), of({}));
}

TEST(Fingerprint, PartsAddUp) {
  Fingerprint sum = of({3, 1});
  sum += of({2});
  EXPECT_EQ(sum, of({1, 2, 3}));
}

TEST(Fingerprint, ADifferenceIsDescribed) {
  EXPECT_EQ(difference_between(of({1, 2}), of({2, 1})), "");
  EXPECT_EQ(difference_between(of({1, 2}), of({1})), "2 keys became 1");
  EXPECT_EQ(difference_between(of({1, 2}), of({1, 3})), "the sorted keys are not those of the input");
}

Fingerprint fingerprint_of(const std::vector<std::uint64_t>& keys) {
  Fingerprint fingerprint;
  for (const std::uint64_t key : keys) fingerprint.add(key);
  return fingerprint;
}

/// Two ranks that exchanged some keys.
class SortCheck : public testing::Test {
 protected:
  std::vector<SortedPart> ranks_{{fingerprint_of({5, 1}), fingerprint_of({1, 2}), true, true},
                                 {fingerprint_of({2, 9}), fingerprint_of({5, 9}), true, true}};
};

TEST_F(SortCheck, KeysMayChangePlaces) {
  EXPECT_EQ(what_is_wrong(ranks_), "");
}

TEST_F(SortCheck, DisorderIsFound) {
  ranks_[1].is_sorted = false;
  EXPECT_EQ(what_is_wrong(ranks_), "the keys are not in order on rank 1");
}

TEST_F(SortCheck, DisorderBetweenRanksIsFound) {
  ranks_[1].follows = false;
  EXPECT_EQ(what_is_wrong(ranks_), "rank 1 has a key that belongs on a rank before it");
}

TEST_F(SortCheck, ALostKeyIsFound) {
  ranks_[1].after = fingerprint_of({5});
  EXPECT_EQ(what_is_wrong(ranks_), "4 keys became 3");
}

TEST_F(SortCheck, AnotherKeyIsFound) {
  ranks_[1].after = fingerprint_of({5, 8});
  EXPECT_EQ(what_is_wrong(ranks_), "the sorted keys are not those of the input");
}

}  // namespace
}  // namespace loadshare::spmd
