#include "apps/bucket_sort/partition.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

namespace loadshare::bucket_sort {
namespace {

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

// Beyond 16 splitters buckets are found in another way.
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
