#include "apps/loadshare/message_sampling.hpp"

#include <gmock/gmock.h>

namespace loadshare::tool {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

std::vector<Index> spread(Index least, Index most, int per_octave, std::uint64_t seed = 1) {
  SplitMix64 random(seed);
  return spread_sizes(least, most, per_octave, random);
}

SizePoint at(Index bytes, double seconds, bool has_waited = false) {
  return {bytes, {seconds, seconds}, {seconds, seconds}, has_waited};
}

TEST(Sizes, HaveTheEndsAndWhatIsAlwaysAsked) {
  const std::vector<Index> sizes = spread(0, 4 << 20, 3);
  EXPECT_EQ(sizes.front(), 0);
  EXPECT_EQ(sizes.back(), 4 << 20);
  EXPECT_THAT(sizes, Contains(1));
  EXPECT_THAT(sizes, Contains(64));
  EXPECT_TRUE(std::ranges::is_sorted(sizes));
}

TEST(Sizes, LeaveNoGap) {
  const std::vector<Index> sizes = spread(0, 4 << 20, 3);
  EXPECT_EQ(sizes.size(),
            2u + 5 + 1 + 47 + 1);  // 0, 1; one an octave to 64; three an octave between; the end
  for (std::size_t i = 8; i < sizes.size(); ++i)
    EXPECT_LT(static_cast<double>(sizes[i]) / static_cast<double>(sizes[i - 1]), 1.49) << sizes[i];
}

TEST(Sizes, AreOffThePowersOfTwoByTheSeed) {
  EXPECT_EQ(spread(0, 1 << 20, 2), spread(0, 1 << 20, 2));
  EXPECT_NE(spread(0, 1 << 20, 2), spread(0, 1 << 20, 2, 2));
  EXPECT_THAT(spread(64, 1 << 20, 1), testing::Not(Contains(1 << 15)));
}

TEST(Sizes, OfASmallRange) {
  EXPECT_THAT(spread(0, 1, 3), ElementsAre(0, 1));
  EXPECT_THAT(spread(100, 101, 3), ElementsAre(100, 101));
}

std::vector<Index> middles(const std::vector<SizePoint>& points) {
  std::vector<Index> sizes;
  for (const Jump& jump : jumps_among(points)) sizes.push_back(jump.middle);
  return sizes;
}

TEST(Jumps, TellHowWideTheyAre) {
  const auto jumps = jumps_among(std::vector{at(1024 - 64, 1e-6), at(4096 - 64, 40e-6)});
  ASSERT_EQ(jumps.size(), 1U);
  EXPECT_DOUBLE_EQ(jumps[0].octaves, 2);
}

TEST(Jumps, AreSoughtBetweenAJumpsTwoSides) {
  EXPECT_THAT(middles(std::vector{at(1000, 1e-6), at(2000, 4e-6), at(4000, 8e-6)}), ElementsAre(1500));
}

TEST(Jumps, AreSoughtWhereLargerMessagesAreFaster) {
  EXPECT_THAT(middles(std::vector{at(1000, 4e-6), at(2000, 3e-6)}), ElementsAre(1500));
}

TEST(Jumps, AreNotWhatTheSizeExplainsOrTheScatter) {
  EXPECT_THAT(middles(std::vector{at(1000, 1e-6), at(2000, 2e-6), at(4000, 2e-6)}), IsEmpty());
  SizePoint wide = at(2000, 4e-6);
  wide.sender = wide.receiver = {1.5e-6, 6e-6};
  EXPECT_THAT(middles(std::vector{at(1000, 1e-6), wide}), IsEmpty());
}

TEST(Jumps, AreLeftWhereTheirSidesAreNear) {
  EXPECT_THAT(middles(std::vector{at(10000, 1e-6), at(10300, 4e-6)}), IsEmpty());
  EXPECT_THAT(middles(std::vector{at(3, 1e-6), at(4, 4e-6)}), IsEmpty());
}

TEST(Threshold, IsHalvedUntilItIsKnown) {
  EXPECT_EQ(size_in_threshold(std::vector{at(10000, 1e-6), at(10300, 1e-6, true)}), 10150);
  EXPECT_FALSE(size_in_threshold(std::vector{at(10000, 1e-6), at(10050, 1e-6, true)}));
  EXPECT_FALSE(size_in_threshold(std::vector{at(10, 1e-6), at(11, 1e-6, true)}));
  EXPECT_FALSE(size_in_threshold(std::vector{at(10, 1e-6), at(12, 1e-6)}));
}

TEST(Threshold, HasTwoSides) {
  EXPECT_THAT(sizes_at_threshold(std::vector{at(1, 1e-6), at(8, 1e-6), at(9, 2e-6, true)}),
              ElementsAre(8, 9));
  EXPECT_THAT(sizes_at_threshold(std::vector{at(1, 1e-6), at(8, 1e-6)}), IsEmpty());
}

}  // namespace
}  // namespace loadshare::tool
