#include <gtest/gtest.h>

#include "tests/schedulers/sequence.hpp"

namespace loadshare::test {
namespace {

// The roundings in docs/reference/roundings.md, on loops in which they matter: 1003 iterations have no
// whole share, half or sum for 4 workers.

TEST(Roundings, TheLoadSharingPaperRoundsDown) {
  EXPECT_EQ(sequence("gss", {1003, 4}),
            read_sizes("250 188 141 106 79 59 45 33 25 19 14 11 8 6 4 3 3 2 1x7"));
  EXPECT_EQ(sequence("factoring", {1003, 4}), read_sizes("125x4 62x4 31x4 15x4 7x4 3x4 1x31"));
}

TEST(Roundings, GssAndFac2RoundUpAsInPublishedLibraries) {
  EXPECT_EQ(sequence("gss:round=up", {1003, 4}),
            read_sizes("251 188 141 106 80 60 45 33 25 19 14 11 8 6 4 3 3 2 1x4"));
  EXPECT_EQ(sequence("fac2", {1003, 4}), read_sizes("126x4 63x4 31x4 16x4 8x4 4x4 2x4 1x3"));
}

TEST(Roundings, TssRoundsToNearestAndDown) {
  EXPECT_EQ(sequence("tss:last=1", {1003, 4}).front(), 125) << "125.4; DLS4LB begins with 126";
  EXPECT_EQ(sequence("tss:last=1", {1005, 4}).front(), 126) << "125.6; LB4OMP begins with 125";
  EXPECT_EQ(sequence("tss:first=100,last=1", {1003, 4})[1], 95) << "99 / 19 = 5.2 less";
}

TEST(Roundings, StaticIsAsEvenAsPossible) {
  EXPECT_EQ(sequence("static", {1003, 4}), (Sizes{251, 251, 251, 250}));
}

TEST(Roundings, FiveMoreTechniquesRoundAsDocumented) {
  EXPECT_EQ(sequence("fsc:overhead=0.013716,sigma=0.1", {1000, 4}).front(), 12) << "11.93";
  EXPECT_EQ(sequence("fiss:stages=3", {1003, 4}), read_sizes("50x4 83x4 116x4 7"));
  EXPECT_EQ(sequence("viss:factor=4", {1003, 4}), read_sizes("62x4 93x4 108x3 59"));
  EXPECT_EQ(sequence("pls:static_ratio=0.7", {1003, 4}),
            read_sizes("175x4 76 57 43 32 24 18 14 10 8 6 4 3 2 2 1x4"));
  EXPECT_EQ(sequence("wf:weights=1:2:3:4", {1003, 4}).front(), 51) << "0.4 * 125.4 = 50.15";
}

}  // namespace
}  // namespace loadshare::test
