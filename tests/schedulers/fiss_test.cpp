#include <gtest/gtest.h>

#include "tests/schedulers/sequence.hpp"

namespace loadshare::test {
namespace {

// Two stages: X = 4, first 120 / 8 = 15, increase 2 120 (1 - 2 / 4) / (2 2 1) = 30.
TEST(Fiss, RisesByTheSameStep) {
  EXPECT_EQ(sequence("fiss:stages=2", {120, 2}), read_sizes("15x2 45x2"));
}

// First 100 / 10 = 10, increase 2 100 0.4 / (2 3 2) = 6.67: 100 - 2 (10 + 16 + 22) = 4 are left over.
TEST(Fiss, GivesOutTheRestAfterRoundingInTheLastSize) {
  EXPECT_EQ(sequence("fiss", {100, 2}), read_sizes("10x2 16x2 22x2 4"));
}

TEST(Fiss, GivesFewIterationsOneByOne) {
  EXPECT_EQ(sequence("fiss", {3, 4}), (Sizes{1, 1, 1}));
}

TEST(Fiss, NeedsTwoStages) {
  EXPECT_EQ(error_of("fiss:1"), "scheduler fiss: stages is '1' (it is too small); give at least 2");
}

}  // namespace
}  // namespace loadshare::test
