#include "apps/bucket_sort/local_sort.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
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

}  // namespace
}  // namespace loadshare::bucket_sort
