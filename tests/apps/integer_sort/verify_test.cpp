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
