#include <gtest/gtest.h>

#include "tests/schedulers/sequence.hpp"

namespace loadshare::test {
namespace {

// TSS from 20 to 2: N = ceil(200 / 22) = 10 chunks, 2 less each: 20 18 16, 14 12 10, 8 6 4, 2.
TEST(Tfss, GivesEachWorkerTheMeanOfTssChunks) {
  EXPECT_EQ(sequence("tfss:first=20,last=2", {100, 3}), read_sizes("18x3 12x3 6 4"));
}

// 20 18, 16 14, 12 10, 8 6 have no whole mean where the step is odd: from 20 to 11 it is 1.
TEST(Tfss, RoundsAsAsked) {
  EXPECT_EQ(sequence("tfss:first=20,last=11", {78, 2}), read_sizes("19x2 17x2 6"));
  EXPECT_EQ(sequence("tfss:first=20,last=11,round=up", {78, 2}), read_sizes("20x2 18x2 2"));
}

TEST(Tfss, OneWorkerGetsTss) {
  EXPECT_EQ(sequence("tfss", {100, 1}), sequence("tss:last=1", {100, 1}));
}

TEST(Tfss, RejectsLastAboveFirst) {
  EXPECT_EQ(
      error_of("tfss:2,5"),
      "scheduler tfss: last is '5' (it is more than first, which is 2); give a smaller last or a larger "
      "first");
}

}  // namespace
}  // namespace loadshare::test
