#include "apps/bucket_sort/sort.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

namespace loadshare::bucket_sort {
namespace {

std::vector<Key> sorted(const std::vector<Key>& keys) {
  std::vector<Key> out(keys.size());
  sort_into(keys, out);
  return out;
}

void expect_sorted(std::vector<Key> keys) {
  const std::vector<Key> found = sorted(keys);
  std::ranges::sort(keys);
  EXPECT_EQ(found, keys);
}

class EveryKind : public testing::TestWithParam<KeyInfo> {};

TEST_P(EveryKind, IsSortedLikeAnyOther) {
  for (const Index size : {1, 2, 1'000, 2'047, 2'048, 50'000}) {
    std::vector<Key> keys(static_cast<std::size_t>(size));
    make_keys({size, 1, GetParam().key_at}, 0, keys);
    expect_sorted(keys);
  }
}

INSTANTIATE_TEST_SUITE_P(LocalSort, EveryKind,
                         testing::ValuesIn(key_distributions().begin(), key_distributions().end()),
                         [](const auto& keys) { return std::string(keys.param.name); });

TEST(LocalSort, NothingIsSorted) {
  EXPECT_TRUE(sorted({}).empty());
}

TEST(LocalSort, EqualKeysAreOneBucket) {
  expect_sorted(std::vector<Key>(10'000, 7));
}

// Near 2^64 neighbours are the same number in double precision.
TEST(LocalSort, RoundingKeepsTheOrder) {
  constexpr Key greatest = std::numeric_limits<Key>::max();
  std::vector<Key> keys{0, greatest};
  for (Key i = 0; i < 5'000; ++i) {
    keys.push_back(greatest - i);
    keys.push_back(i);
    keys.push_back((Key{1} << 63) + 2'500 - i);
  }
  expect_sorted(keys);
}

using ::testing::ElementsAre;

TEST(Partition, ASplitterIsTheLeastOfItsBucket) {
  const std::vector<Key> keys{9, 10, 11, 19, 20, 0, 99};
  EXPECT_THAT(bucket_sizes(keys, {10, 20}), ElementsAre(2, 3, 2));
}

TEST(Partition, KeysKeepTheirOrderInABucket) {
  const std::vector<Key> keys{30, 5, 12, 31, 4, 11};
  const Splitters splitters{10, 20};
  std::vector<Key> out(keys.size());
  put_into_buckets(keys, splitters, bucket_sizes(keys, splitters), out);
  EXPECT_THAT(out, ElementsAre(5, 4, 12, 11, 30, 31));
}

TEST(Partition, BucketsBetweenEqualSplittersAreEmpty) {
  EXPECT_THAT(bucket_sizes(std::vector<Key>{3, 4, 5}, {4, 4}), ElementsAre(1, 0, 2));
}

TEST(Partition, OneBucketHoldsAll) {
  EXPECT_THAT(bucket_sizes(std::vector<Key>{1, 2}, {}), ElementsAre(2));
}

// Beyond 16 splitters another method finds the buckets.
TEST(Partition, ManyBucketsAreLikeFew) {
  for (const Index buckets : {16, 17, 18, 100}) {
    Splitters splitters(static_cast<std::size_t>(buckets - 1));
    std::iota(splitters.begin(), splitters.end(), Key{1});
    std::vector<Key> keys(static_cast<std::size_t>(buckets));
    std::iota(keys.rbegin(), keys.rend(), Key{0});
    EXPECT_THAT(bucket_sizes(keys, splitters), testing::Each(1)) << buckets;
    std::vector<Key> out(keys.size());
    put_into_buckets(keys, splitters, bucket_sizes(keys, splitters), out);
    EXPECT_TRUE(std::is_sorted(out.begin(), out.end())) << buckets;
  }
}

}  // namespace
}  // namespace loadshare::bucket_sort
