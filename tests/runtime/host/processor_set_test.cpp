#include "runtime/host/processor_set.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <vector>

namespace loadshare {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(ProcessorSet, HoldsProcessorsOfAnyNumber) {
  const ProcessorSet set(std::array{4095, 0, 63, 64, 1024, 0});
  EXPECT_THAT(set.numbers(), ElementsAre(0, 63, 64, 1024, 4095));
  EXPECT_EQ(set.count(), 5);
  EXPECT_THAT(ProcessorSet().numbers(), IsEmpty());
  EXPECT_EQ(ProcessorSet().count(), 0);
}

TEST(ProcessorSet, IntersectsASetOfALargerMachine) {
  ProcessorSet small(std::array{1, 2});
  const ProcessorSet large(std::array{2, 2000}), other(std::array{3, 2000});
  EXPECT_TRUE(small.intersects(large));
  EXPECT_TRUE(large.intersects(small));
  EXPECT_FALSE(small.intersects(other));
  EXPECT_FALSE(other.intersects(small));
  EXPECT_FALSE(small.intersects(ProcessorSet()));
  small.add(large);
  EXPECT_THAT(small.numbers(), ElementsAre(1, 2, 2000));
}

TEST(ProcessorSet, SurvivesALongerMessage) {
  const ProcessorSet set(std::array{5, 70});
  std::vector<std::uint64_t> words(set.words().begin(), set.words().end());
  words.resize(40);
  EXPECT_EQ(ProcessorSet::from_words(words), set);
  EXPECT_EQ(ProcessorSet::from_words({}), ProcessorSet());
}

}  // namespace
}  // namespace loadshare
