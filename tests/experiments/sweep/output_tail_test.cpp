#include "experiments/sweep/output_tail.hpp"

#include <gtest/gtest.h>

namespace loadshare::sweep {
namespace {

TEST(OutputTail, KeepsTheLastLines) {
  OutputTail tail;
  EXPECT_EQ(tail.last_lines(), "");
  tail.append("1\n2\n\n3\n4");
  tail.append("x\n5\n6\n \n");
  EXPECT_EQ(tail.last_lines(), "2\n3\n4x\n5\n6");
}

TEST(OutputTail, IsBounded) {
  OutputTail tail;
  const std::string much(1 << 16, 'x');
  for (int i = 0; i < 100; ++i) tail.append(much);
  tail.append("end");
  EXPECT_EQ(tail.last_lines().size(), 2000u);
  EXPECT_TRUE(tail.last_lines().ends_with("xend"));
}

}  // namespace
}  // namespace loadshare::sweep
