#include "apps/spmd/fingerprint.hpp"

#include <gtest/gtest.h>

#include <initializer_list>

namespace loadshare::spmd {
namespace {

Fingerprint of(std::initializer_list<std::uint64_t> keys) {
  Fingerprint fingerprint;
  for (const std::uint64_t key : keys) fingerprint.add(key);
  return fingerprint;
}

TEST(Fingerprint, DoesNotSeeTheOrder) {
  EXPECT_EQ(of({3, 1, 2}), of({1, 2, 3}));
}

TEST(Fingerprint, SeesEachKeyAndHowOftenItIsThere) {
  EXPECT_NE(of({1, 2}), of({1, 3}));
  EXPECT_NE(of({1, 1, 2}), of({1, 2, 2}));
  EXPECT_NE(of({1, 4}), of({2, 3}));  // of one sum
  EXPECT_NE(of({0}), of({}));
}

TEST(Fingerprint, OfPartsAddsUp) {
  Fingerprint sum = of({3, 1});
  sum += of({2});
  EXPECT_EQ(sum, of({1, 2, 3}));
}

TEST(Fingerprint, ADifferenceIsSaid) {
  EXPECT_EQ(difference_between(of({1, 2}), of({2, 1})), "");
  EXPECT_EQ(difference_between(of({1, 2}), of({1})), "of 2 keys 1 came back");
  EXPECT_EQ(difference_between(of({1, 2}), of({1, 3})),
            "the sorted keys are others than those that were to be sorted");
}

}  // namespace
}  // namespace loadshare::spmd
