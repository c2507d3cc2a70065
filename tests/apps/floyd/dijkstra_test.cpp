#include "apps/floyd/dijkstra.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/floyd/relax.hpp"

namespace loadshare::floyd {
namespace {

/// Bellman's way, edge by edge until nothing changes: slow, and unlike the others.
std::vector<Length> by_bellman(const Graph& graph, Index source) {
  const auto size = static_cast<std::size_t>(graph.vertices);
  std::vector<std::vector<Length>> edges(size, std::vector<Length>(size));
  for (std::size_t from = 0; from < size; ++from) edges_from(graph, static_cast<Index>(from), edges[from]);
  std::vector<Length> lengths = edges[static_cast<std::size_t>(source)];
  for (bool has_changed = true; has_changed;) {
    has_changed = false;
    for (std::size_t from = 0; from < size; ++from)
      for (std::size_t to = 0; to < size; ++to) {
        if (lengths[from] == no_path || edges[from][to] == no_path) continue;
        if (lengths[from] + edges[from][to] >= lengths[to]) continue;
        lengths[to] = lengths[from] + edges[from][to];
        has_changed = true;
      }
  }
  return lengths;
}

TEST(Dijkstra, FindsWhatBellmanFinds) {
  for (const double density : {0.0, 0.02, 0.1, 1.0})
    for (const std::uint64_t seed : {1u, 2u}) {
      const Graph graph{60, density, seed};
      for (const Index source : {0, 17, 59})
        EXPECT_EQ(shortest_from(graph, source), by_bellman(graph, source)) << density << ' ' << seed;
    }
}

TEST(Dijkstra, OneVertexIsAtItself) {
  EXPECT_THAT(shortest_from({1, 1, 1}, 0), testing::ElementsAre(0));
}

TEST(Floyd, FindsWhatDijkstraFinds) {
  const Graph graph{60, 0.05, 3};
  std::vector<Length> matrix(60 * 60);
  for (std::size_t from = 0; from < 60; ++from)
    edges_from(graph, static_cast<Index>(from), std::span(matrix).subspan(60 * from, 60));
  for (Index via = 0; via < 60; ++via) relax({matrix.data(), 60, 60}, via, matrix.data() + 60 * via);
  for (std::size_t from = 0; from < 60; ++from)
    EXPECT_THAT(std::span(matrix).subspan(60 * from, 60),
                testing::ElementsAreArray(shortest_from(graph, static_cast<Index>(from))));
}

}  // namespace
}  // namespace loadshare::floyd
