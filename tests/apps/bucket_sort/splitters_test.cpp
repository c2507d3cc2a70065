#include "apps/bucket_sort/splitters.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <set>
#include <vector>

#include "base/error.hpp"

namespace loadshare::bucket_sort {
namespace {

constexpr Index size = 10'000;

std::vector<Key> keys_of(const std::string& name, std::uint64_t seed = 1) {
  std::vector<Key> keys(size);
  make_keys({size, seed, find_keys(name).key_at}, 0, keys);
  return keys;
}

double mean(const std::vector<Key>& keys) {
  double sum = 0;
  for (const Key key : keys) sum += static_cast<double>(key);
  return sum / static_cast<double>(keys.size());
}

/// The share of the keys in the middle half of the range.
double middle_share(const std::vector<Key>& keys) {
  constexpr Key quarter = Key{1} << 62;
  const auto inside =
      std::ranges::count_if(keys, [](Key key) { return key >= quarter && key < 3 * quarter; });
  return static_cast<double>(inside) / static_cast<double>(keys.size());
}

class EveryDistribution : public testing::TestWithParam<KeyInfo> {};

TEST_P(EveryDistribution, PartsAreThoseOfTheWhole) {
  const std::vector<Key> whole = keys_of(GetParam().name);
  std::vector<Key> part(100);
  make_keys({size, 1, GetParam().key_at}, 4'321, part);
  EXPECT_TRUE(std::equal(part.begin(), part.end(), whole.begin() + 4'321));
}

TEST_P(EveryDistribution, FollowsTheSeed) {
  EXPECT_EQ(keys_of(GetParam().name, 3), keys_of(GetParam().name, 3));
  EXPECT_NE(keys_of(GetParam().name, 3), keys_of(GetParam().name, 4));
}

INSTANTIATE_TEST_SUITE_P(Keys, EveryDistribution,
                         testing::ValuesIn(key_distributions().begin(), key_distributions().end()),
                         [](const auto& keys) { return std::string(keys.param.name); });

TEST(Keys, UniformOnesFillTheRange) {
  EXPECT_NEAR(mean(keys_of("uniform")) / 0x1p64, 0.5, 0.015);
  EXPECT_NEAR(middle_share(keys_of("uniform")), 0.5, 0.025);
}

// By the Irwin-Hall distribution of the sum of four, F(3) - F(1) = 23/24 - 1/24.
TEST(Keys, GaussianOnesLieInTheMiddle) {
  EXPECT_NEAR(mean(keys_of("gaussian")) / 0x1p64, 0.5, 0.01);
  EXPECT_NEAR(middle_share(keys_of("gaussian")), 22.0 / 24, 0.015);
}

TEST(Keys, FewAreSixteen) {
  const std::vector<Key> keys = keys_of("few");
  EXPECT_EQ(std::set<Key>(keys.begin(), keys.end()).size(), 16u);
}

TEST(Keys, AscendingOnesAreInOrder) {
  const std::vector<Key> keys = keys_of("ascending");
  EXPECT_TRUE(std::ranges::is_sorted(keys));
  EXPECT_NEAR(mean(keys) / 0x1p64, 0.5, 0.001);
}

TEST(Keys, AnUnknownNameIsRefused) {
  EXPECT_THROW(find_keys("unifrom"), UsageError);
}

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr Key greatest = std::numeric_limits<Key>::max();

TEST(Splitters, RangesAreOfOneLength) {
  EXPECT_THAT(range_splitters(1), IsEmpty());
  EXPECT_THAT(range_splitters(2), ElementsAre(Key{1} << 63));
  EXPECT_THAT(range_splitters(4), ElementsAre(Key{1} << 62, Key{2} << 62, Key{3} << 62));
  EXPECT_THAT(range_splitters(3), ElementsAre(0x5555555555555556U, 0xaaaaaaaaaaaaaaacU));
}

TEST(Splitters, ASampleIsTakenAtRegularPlaces) {
  const std::vector<Key> own{0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  EXPECT_THAT(sample_of(own, 5), ElementsAre(0, 2, 4, 6, 8));
  EXPECT_THAT(sample_of(own, 4), ElementsAre(0, 2, 5, 7));
}

TEST(Splitters, AShortSampleIsFilledUp) {
  EXPECT_THAT(sample_of(std::vector<Key>{7, 3}, 4), ElementsAre(7, 3, greatest, greatest));
  EXPECT_THAT(sample_of({}, 2), ElementsAre(greatest, greatest));
}

TEST(Splitters, BucketsGetEqualPartsOfTheSample) {
  EXPECT_THAT(sample_splitters({50, 10, 40, 20, 60, 30}, 3), ElementsAre(30, 50));
  EXPECT_THAT(sample_splitters({4, 4, 4, 4}, 4), ElementsAre(4, 4, 4));
  EXPECT_THAT(sample_splitters({4, 1}, 1), IsEmpty());
}

TEST(Splitters, WaysAreFoundByName) {
  for (const SplitInfo& info : splits()) EXPECT_EQ(find_split(info.name).find, info.find);
  EXPECT_THROW(find_split("ranges"), UsageError);
}

}  // namespace
}  // namespace loadshare::bucket_sort
