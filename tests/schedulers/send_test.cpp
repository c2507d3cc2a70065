#include <gtest/gtest.h>

#include "tests/schedulers/sequence.hpp"

namespace loadshare::test {
namespace {

TEST(Send, DealsThreeByDefault) {
  EXPECT_EQ(sequence("send", {10, 2}), (Sizes{3, 3, 3, 1}));
}

TEST(Send, DealsTheSizeAskedFor) {
  EXPECT_EQ(sequence("send:5", {10, 2}), (Sizes{5, 5}));
  EXPECT_EQ(sequence("send:size=20", {10, 2}), (Sizes{10}));
}

TEST(Send, RejectsAnEmptyChunk) {
  EXPECT_EQ(error_of("send:0"), "scheduler send: size is '0' (it is too small); give at least 1");
}

}  // namespace
}  // namespace loadshare::test
