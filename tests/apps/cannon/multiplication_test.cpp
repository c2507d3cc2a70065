#include "apps/cannon/multiplication.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace loadshare::cannon {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;

std::vector<double> block(const RandomMatrix& matrix, spmd::Part rows, spmd::Part columns) {
  std::vector<double> values(static_cast<std::size_t>(rows.size * columns.size));
  generate_block(matrix, rows, columns, values.data());
  return values;
}

// Printed by matmul's own generator for rows 3 and 4 of six columns.
TEST(Block, ValuesAreThoseOfMatmul) {
  EXPECT_THAT(
      block({7, 1}, {3, 2}, {0, 6}),
      ElementsAre(0.38767116501244425, -0.14170605874604636, -0.56868194599833455, -0.21409166944827085,
                  0.62338878213600424, 0.60456156099906178, 0.65958501565338779, 0.58359218331625273,
                  -0.66223536320598386, -0.11766791981058322, -0.96187741245561043, -0.30531695278589899));
}

TEST(Block, APartHoldsTheValuesOfTheWhole) {
  const std::vector<double> whole = block({7, 1}, {3, 2}, {0, 6});
  const std::vector<double> expected{whole[2], whole[3], whole[8], whole[9]};
  EXPECT_THAT(block({7, 1}, {3, 2}, {2, 2}), ElementsAreArray(expected));
}

TEST(Block, SeedsAndStreamsDiffer) {
  EXPECT_NE(block({7, 1}, {0, 1}, {0, 1}), block({8, 1}, {0, 1}, {0, 1}));
  EXPECT_NE(block({7, 1}, {0, 1}, {0, 1}), block({7, 0}, {0, 1}, {0, 1}));
}

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
  EXPECT_EQ(refusal(5), "cannon needs a square number of ranks (5 is not one); use 4 or 9");
  EXPECT_EQ(refusal(2), "cannon needs a square number of ranks (2 is not one); use 1 or 4");
  EXPECT_EQ(refusal(9'999), "cannon needs a square number of ranks (9999 is not one); use 9801 or 10000");
}

}  // namespace
}  // namespace loadshare::cannon
