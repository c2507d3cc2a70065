#include <gtest/gtest.h>

#include "tests/schedulers/sequence.hpp"

namespace loadshare::test {
namespace {

// Figure 2 of Piotrowski and Dandamudi: 70 columns, 4 workers, F = 8.
TEST(Factoring, HalvesGroupByGroup) {
  EXPECT_EQ(sequence("factoring", {70, 4}), read_sizes("8x4 4x4 2x4 1x14"));
}

TEST(Factoring, HalvesTheLastGroupsSizeUpward) {
  EXPECT_EQ(sequence("factoring:9,round=up", {70, 2}), read_sizes("9x2 5x2 3x2 2x2 1x32"));
}

TEST(Factoring, RoundsItsDefaultAsAsked) {
  EXPECT_EQ(sequence("factoring:round=up", {70, 4}).front(), 9);
  EXPECT_EQ(sequence("factoring:round=down", {79, 4}).front(), 9);
}

TEST(Factoring, NeverGoesBelowMin) {
  EXPECT_EQ(sequence("factoring:8,min=3", {70, 4}), read_sizes("8x4 4x4 3x7 1"));
}

TEST(Factoring, DefaultGivesWayToMin) {
  EXPECT_EQ(sequence("factoring:min=20", {70, 4}), read_sizes("20x3 10"));
}

TEST(Factoring, RejectsMinAboveFirst) {
  EXPECT_EQ(error_of("factoring:2,min=3"),
            "scheduler factoring: min is '3' (it is more than first, which is 2); give a smaller min or a "
            "larger first");
}

}  // namespace
}  // namespace loadshare::test
