#include <gtest/gtest.h>

#include "tests/schedulers/sequence.hpp"

namespace loadshare::test {
namespace {

TEST(Pls, GivesItsStaticPartFirst) {
  EXPECT_EQ(sequence("pls", {40, 2}), read_sizes("10x2 10 5 3 1x2"));
  EXPECT_EQ(sequence("pls:static_ratio=0.5,round=down,min=2", {40, 2}), read_sizes("10x2 10 5 2x2 1"));
}

TEST(Pls, IsGssWithoutAStaticPart) {
  EXPECT_EQ(sequence("pls:0", {40, 3}), sequence("gss:round=up", {40, 3}));
  EXPECT_EQ(sequence("pls:0.5", {3, 4}), sequence("gss:round=up", {3, 4}))
      << "no worker would get an iteration";
}

TEST(Pls, IsStaticIfTheRatioIsOne) {
  EXPECT_EQ(sequence("pls:1", {40, 4}), (Sizes{10, 10, 10, 10}));
}

TEST(Pls, RejectsARatioBeyondOne) {
  EXPECT_EQ(error_of("pls:1.1"),
            "scheduler pls: static_ratio is '1.1' (it is out of range); give a number from 0 to 1");
}

}  // namespace
}  // namespace loadshare::test
