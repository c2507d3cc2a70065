#include "apps/bucket_sort/splitters.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "schedulers/error.hpp"

namespace loadshare::bucket_sort {
namespace {

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
