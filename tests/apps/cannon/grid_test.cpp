#include "apps/cannon/grid.hpp"

#include <gtest/gtest.h>

namespace loadshare::cannon {
namespace {

std::string refusal(int ranks) {
  try {
    const Grid grid(ranks, 0);
    return "none";
  } catch (const UsageError& error) {
    return error.what();
  }
}

TEST(Grid, RanksStandRowAfterRow) {
  const Grid grid(9, 5);
  EXPECT_EQ(grid.side(), 3);
  EXPECT_EQ(grid.row(), 1);
  EXPECT_EQ(grid.column(), 2);
}

TEST(Grid, EdgesAreJoined) {
  const Grid grid(9, 5);
  EXPECT_EQ(grid.neighbour(0, 0), 5);
  EXPECT_EQ(grid.neighbour(1, 0), 3);
  EXPECT_EQ(grid.neighbour(-1, 0), 4);
  EXPECT_EQ(grid.neighbour(0, 1), 8);
  EXPECT_EQ(grid.neighbour(0, -2), 8);
  EXPECT_EQ(Grid(1, 0).neighbour(1, -1), 0);
}

TEST(Grid, OnlySquaresWillDo) {
  for (const int ranks : {1, 4, 9, 16, 10'000}) EXPECT_EQ(refusal(ranks), "none") << ranks;
  EXPECT_EQ(refusal(5), "cannon needs a square number of ranks (5 is none) use 4 or 9");
  EXPECT_EQ(refusal(2), "cannon needs a square number of ranks (2 is none) use 1 or 4");
  EXPECT_EQ(refusal(9'999), "cannon needs a square number of ranks (9999 is none) use 9801 or 10000");
}

}  // namespace
}  // namespace loadshare::cannon
