#include "apps/floyd/graph.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace loadshare::floyd {
namespace {

using ::testing::Each;

std::vector<Length> edges(const Graph& graph, Index vertex) {
  std::vector<Length> lengths(static_cast<std::size_t>(graph.vertices));
  edges_from(graph, vertex, lengths);
  return lengths;
}

TEST(Graph, AVertexIsAtItself) {
  for (const Index vertex : {0, 3, 9})
    EXPECT_EQ(edges({10, 1, 1}, vertex)[static_cast<std::size_t>(vertex)], 0);
  EXPECT_EQ(edges({10, 0, 1}, 3)[3], 0);
}

TEST(Graph, LengthsAreInRange) {
  std::vector<Length> lengths = edges({10'000, 1, 1}, 0);
  lengths.erase(lengths.begin());
  const auto [least, most] = std::ranges::minmax(lengths);
  EXPECT_GE(least, 1);
  EXPECT_LT(least, 20);
  EXPECT_LE(most, longest_edge);
  EXPECT_GT(most, longest_edge - 20);
}

TEST(Graph, DensityIsTheShareOfEdges) {
  std::vector<Length> none = edges({100, 0, 1}, 0);
  none.erase(none.begin());
  EXPECT_THAT(none, Each(no_path));
  const std::vector<Length> some = edges({10'000, 0.25, 1}, 0);
  EXPECT_NEAR(static_cast<double>(std::ranges::count(some, no_path)), 7'500, 150);
  EXPECT_EQ(std::ranges::count(edges({10'000, 1, 1}, 0), no_path), 0);
}

TEST(Graph, FollowsTheSeedAndTheVertex) {
  EXPECT_EQ(edges({50, 0.5, 4}, 7), edges({50, 0.5, 4}, 7));
  EXPECT_NE(edges({50, 0.5, 4}, 7), edges({50, 0.5, 5}, 7));
  EXPECT_NE(edges({50, 0.5, 4}, 7), edges({50, 0.5, 4}, 8));
}

// The longest path in a matrix of this size is still distinct from no path.
TEST(Graph, PathsAreShorterThanNone) {
  EXPECT_LT(static_cast<std::int64_t>(longest_edge) * (most_vertices - 1), no_path);
}

}  // namespace
}  // namespace loadshare::floyd
