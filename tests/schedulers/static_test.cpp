#include <gtest/gtest.h>

#include "tests/schedulers/sequence.hpp"

namespace loadshare::test {
namespace {

TEST(Static, GivesEachWorkerOneChunkAsEqualAsCanBe) {
  EXPECT_EQ(sequence("static", {10, 4}), (Sizes{3, 3, 2, 2}));
  EXPECT_EQ(sequence("static", {9, 4}), (Sizes{3, 2, 2, 2}));
  EXPECT_EQ(sequence("static", {7, 1}), (Sizes{7}));
  EXPECT_EQ(sequence("static", {3, 8}), (Sizes{1, 1, 1}));
}

TEST(Static, GivesReturnedIterationsOutInOneChunk) {
  const auto scheduler = built_in_schedulers().make("static", {10, 2});
  EXPECT_EQ(next_size(*scheduler, WorkerId{0}, 10), 5);
  EXPECT_EQ(next_size(*scheduler, WorkerId{1}, 5), 5);
  EXPECT_EQ(next_size(*scheduler, WorkerId{0}, 5), 5);
}

TEST(Static, HasNoParameters) {
  EXPECT_NE(error_of("static:3"), "");
}

}  // namespace
}  // namespace loadshare::test
