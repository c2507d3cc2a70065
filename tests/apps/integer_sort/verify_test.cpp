#include "apps/integer_sort/verify.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loadshare::integer_sort {
namespace {

using spmd::Fingerprint;

Fingerprint of(const std::vector<std::uint64_t>& keys) {
  Fingerprint fingerprint;
  for (const std::uint64_t key : keys) fingerprint.add(key);
  return fingerprint;
}

/// Two ranks that exchanged some keys.
class Full : public testing::Test {
 protected:
  std::vector<Summary> ranks_{{of({5, 1}), of({1, 2}), true, true}, {of({2, 9}), of({5, 9}), true, true}};
};

TEST_F(Full, KeysMayChangePlaces) {
  EXPECT_EQ(what_is_wrong(ranks_), "");
}

TEST_F(Full, DisorderIsFound) {
  ranks_[1].is_sorted = false;
  EXPECT_EQ(what_is_wrong(ranks_), "the keys are not in order on rank 1");
}

TEST_F(Full, DisorderBetweenRanksIsFound) {
  ranks_[1].follows = false;
  EXPECT_EQ(what_is_wrong(ranks_), "rank 1 has a key that belongs on a rank before it");
}

TEST_F(Full, ALostKeyIsFound) {
  ranks_[1].after = of({5});
  EXPECT_EQ(what_is_wrong(ranks_), "of 4 keys 3 came back");
}

TEST_F(Full, AnotherKeyIsFound) {
  ranks_[1].after = of({5, 8});
  EXPECT_EQ(what_is_wrong(ranks_), "the sorted keys are others than those that were to be sorted");
}

TEST(FingerprintOfPlaces, IsOfTheKeysAfterAllIterations) {
  const ProblemClass& small = find_class("S");
  std::vector<Key> keys(30);
  make_keys(small, 0, keys);
  for (Index iteration = 1; iteration <= iterations; ++iteration) alter(small, iteration, keys);
  EXPECT_EQ(fingerprint_of(small, {0, 30}), of({keys.begin(), keys.end()}));
  EXPECT_EQ(fingerprint_of(small, {5, 20}), of({keys.begin() + 5, keys.begin() + 25}));
}

}  // namespace
}  // namespace loadshare::integer_sort
