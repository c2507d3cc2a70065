#include "apps/integer_sort/bucket_writer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

namespace loadshare::integer_sort {
namespace {

constexpr Key untouched = -1;

/// Writes 0, 1, 2, ... to each bucket in turn, where the array begins so many keys behind another one.
std::vector<Key> written(const std::vector<Count>& sizes, std::size_t lead) {
  const auto size = static_cast<std::size_t>(std::accumulate(sizes.begin(), sizes.end(), 0));
  std::vector<Key> all(lead + size + 1, untouched);
  BucketWriter writer(sizes, std::span(all).subspan(lead, size));
  const Count longest = *std::ranges::max_element(sizes);
  for (Key key = 0; key < longest; ++key)
    for (std::size_t bucket = 0; bucket < sizes.size(); ++bucket)
      if (key < sizes[bucket]) writer.put(bucket, key);
  writer.finish();
  return all;
}

std::vector<Key> expected(const std::vector<Count>& sizes, std::size_t lead) {
  std::vector<Key> all(lead, untouched);
  for (const Count size : sizes)
    for (Key key = 0; key < size; ++key) all.push_back(key);
  all.push_back(untouched);
  return all;
}

// A line has 16 keys: buckets within one, over an edge, of just one, and of several.
TEST(BucketWriter, WritesWhereverLinesBegin) {
  for (const std::vector<Count>& sizes :
       {std::vector<Count>{5}, {16, 16}, {3, 0, 14, 1, 40}, {100, 1, 15, 17}, {0, 0, 33}})
    for (std::size_t lead = 0; lead < 17; ++lead)
      EXPECT_EQ(written(sizes, lead), expected(sizes, lead)) << testing::PrintToString(sizes) << lead;
}

TEST(BucketWriter, WritesNothingUntouched) {
  EXPECT_EQ(written({0, 0}, 2), (std::vector<Key>{untouched, untouched, untouched}));
}

}  // namespace
}  // namespace loadshare::integer_sort
