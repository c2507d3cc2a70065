#include <gtest/gtest.h>

#include "tests/schedulers/sequence.hpp"

namespace loadshare::test {
namespace {

// 200 / (2 5) = 20, then 10, 5 and 2 more.
TEST(Viss, RisesByHalfAsMuchEachTime) {
  EXPECT_EQ(sequence("viss:5", {220, 2}), read_sizes("22x2 33x2 38x2 34"));
  EXPECT_EQ(sequence("viss:factor=10", {200, 2}), read_sizes("10x2 15x2 17x2 18x6 8"));
}

TEST(Viss, GivesFewIterationsOneByOne) {
  EXPECT_EQ(sequence("viss", {3, 4}), (Sizes{1, 1, 1}));
}

TEST(Viss, RejectsAFactorThatLeavesNothingToRise) {
  EXPECT_EQ(error_of("viss:1"), "scheduler viss: factor is '1' (it is too small); give at least 2");
}

}  // namespace
}  // namespace loadshare::test
