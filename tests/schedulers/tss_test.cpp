#include "schedulers/tss.hpp"

#include <gtest/gtest.h>

#include "tests/schedulers/sequence.hpp"

namespace loadshare::test {
namespace {

// Figure 2 of Piotrowski and Dandamudi: 70 / 8 rounded to nearest is 9.
TEST(Tss, StartsAtHalfAShareRoundedToNearest) {
  EXPECT_EQ(sequence("tss", {70, 4}), read_sizes("9 8 7 6 5 4 3 2 1x26"));
}

TEST(Tss, FallsByStepDownToMin) {
  EXPECT_EQ(sequence("tss:10,4", {40, 4}), read_sizes("10 6 2 1x22"));
  EXPECT_EQ(sequence("tss:10,4,3", {40, 4}), read_sizes("10 6 3x8"));
}

TEST(Tss, StepZeroKeepsTheSize) {
  EXPECT_EQ(sequence("tss:7,0", {30, 4}), read_sizes("7x4 2"));
}

// Tzen and Ni: N = ceil(2000 / 126) = 16 and step = 124 / 15; N = ceil(2000 / 100) = 20 and step = 76 / 19.
TEST(Tss, TakesTzenAndNisStepFromLast) {
  EXPECT_EQ(trapezoid_step(1000, 125, 1), 8);
  EXPECT_EQ(trapezoid_step(1000, 88, 12), 4);
  EXPECT_EQ(sequence("tss:last=1", {1000, 4}), read_sizes("125 117 109 101 93 85 77 69 61 53 45 37 28"));
}

TEST(Tss, StepOfDegenerateTrapezoidsIsZero) {
  EXPECT_EQ(trapezoid_step(0, 1, 1), 0);
  EXPECT_EQ(trapezoid_step(10, 88, 12), 0);
  EXPECT_EQ(trapezoid_step(100, 5, 5), 0);
}

TEST(Tss, LastIsTheSmallestChunk) {
  EXPECT_EQ(sequence("tss:10,last=9", {60, 1}), read_sizes("10 10 10 10 10 10"));
}

TEST(Tss, DefaultFirstGivesWayToLast) {
  EXPECT_EQ(sequence("tss:last=20", {50, 4}), read_sizes("20 20 10"));
}

TEST(Tss, RejectsContradictions) {
  EXPECT_EQ(error_of("tss:step=1,last=2"),
            "scheduler tss: both step and last are given (last chooses the step); leave one out");
  EXPECT_EQ(error_of("tss:2,last=5"),
            "scheduler tss: last is '5' (it is more than first, which is 2); give a smaller last or a larger "
            "first");
  EXPECT_NE(error_of("tss:2,min=5"), "");
  EXPECT_EQ(error_of("tss:4,-1"), "scheduler tss: step is '-1' (it is too small); give at least 0");
}

}  // namespace
}  // namespace loadshare::test
