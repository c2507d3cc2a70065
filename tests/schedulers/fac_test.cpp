#include <gtest/gtest.h>

#include "tests/schedulers/sequence.hpp"

namespace loadshare::test {
namespace {

TEST(Fac2, IsHalfOfWhatRemainsByGroup) {
  EXPECT_EQ(sequence("fac2", {70, 4}), read_sizes("9x4 5x4 2x4 1x6"));
  EXPECT_EQ(sequence("fac2:round=down", {70, 4}), read_sizes("8x4 4x4 2x4 1x14"));
}

TEST(Fac2, NeverGoesBelowMin) {
  EXPECT_EQ(sequence("fac2:min=6", {70, 4}), read_sizes("9x4 6x5 4"));
  EXPECT_EQ(sequence("fac2:min=70", {70, 4}), (Sizes{70}));
}

TEST(Fac2, OneWorkerGetsHalvesToo) {
  EXPECT_EQ(sequence("fac2", {10, 1}), (Sizes{5, 3, 1, 1}));
}

// With P = 2 and sigma / mu = 0.25 of the 100: b = 0.025, x_0 = 1.036, 100 / 2.072 = 48.3; then of the 2
// iterations that remain b = 0.177, x = 2.386, 0.42.
TEST(Fac, TakesLargerGroupsIfIterationsVaryLess) {
  EXPECT_EQ(sequence("fac:mu=0.008,sigma=0.002", {100, 2}), (Sizes{49, 49, 1, 1}));
  EXPECT_EQ(sequence("fac:mu=0.008,sigma=0.002,round=down", {100, 2}), (Sizes{48, 48, 1, 1, 1, 1}));
}

TEST(Fac, WithoutDeviationDealsOutInOneGroup) {
  EXPECT_EQ(sequence("fac:mu=3,sigma=0", {10, 4}), (Sizes{3, 3, 3, 1}));
}

TEST(Fac, UsesTimesOfTheLoopsLastRun) {
  const LoopFacts loop{
      .iterations = 100, .workers = 2, .times = LoopTimes{.mean_s = 0.008, .deviation_s = 0.002}};
  EXPECT_EQ(sequence("fac", loop).front(), 49);
}

TEST(Fac, AMissingParameterIsNamed) {
  EXPECT_EQ(
      error_of("fac"),
      "scheduler fac: mu is missing (no earlier run of this loop has measured it); give the mean time of an "
      "iteration, in seconds: mu=0.001");
  EXPECT_EQ(error_of("fac:mu=0,sigma=1"),
            "scheduler fac: mu is '0' (it is out of range); give a number from 0.000000001 to 1000000000");
  EXPECT_NE(error_of("fac:mu=1"), "");
}

}  // namespace
}  // namespace loadshare::test
