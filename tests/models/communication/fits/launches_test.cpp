#include "models/communication/fits/launches.hpp"

#include <gtest/gtest.h>

namespace loadshare::communication::test {
namespace {

TEST(Launches, OneIsLeftAsItIs) {
  const std::vector<Sample> samples{{20, 5, 3}, {10, 1, 3}, {10, 7, 3}};
  const auto level = level_launches(samples);
  ASSERT_EQ(level.size(), 3U);
  EXPECT_DOUBLE_EQ(level[2].seconds, 7);
}

TEST(Launches, MeetInTheMiddleWhateverTheirNumberOfSamples) {
  std::vector<Sample> samples(50, {10, 8, 0});
  for (const Sample& one : {Sample{20, 8, 0}, {10, 4, 1}, {20, 4, 1}, {10, 2, 2}, {20, 2, 2}})
    samples.push_back(one);
  const auto level = level_launches(samples);
  ASSERT_EQ(level.size(), 6U);
  for (const Sample& one : level) EXPECT_NEAR(one.seconds, 4, 1e-12);
}

TEST(Launches, OfOtherSizesAreComparedBetweenThem) {
  std::vector<Sample> samples;
  for (int i = 0; i < 20; ++i) {
    samples.push_back({10.0 * i, 1.0 + i, 0});
    samples.push_back({10.0 * i + 5, 4 * (1.5 + i), 1});
  }
  for (const Sample& one : level_launches(samples))
    EXPECT_NEAR(one.seconds, 2 * (1 + one.size / 10), 1e-9) << one.size;  // of 1 and 4 the geometric middle
}

TEST(Launches, KeepTheirJumps) {
  std::vector<Sample> samples;
  for (int i = 0; i < 20; ++i) {
    samples.push_back({10.0 * i, i < 10 ? 1.0 : 100.0, 0});
    samples.push_back({10.0 * i + 5, i < 9 ? 1.0 : 100.0, 1});
  }
  for (const Sample& one : level_launches(samples))
    EXPECT_NEAR(one.seconds, one.size < 95 ? 1 : 100, 1e-9) << one.size;
}

}  // namespace
}  // namespace loadshare::communication::test
