#include "apps/floyd/verify.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "apps/floyd/paths.hpp"

namespace loadshare::floyd {
namespace {

/// Bellman's algorithm: relaxes edge by edge until nothing changes. Slow, and independent of the others.
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

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Sources, AllOrSixteenOfThem) {
  EXPECT_THAT(sources(Verification::full, 4, 9), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(sources(Verification::sample, 4, 9), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(sources(Verification::sample, 32, 3),
              ElementsAre(1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31));
  for (const Index vertices : {15, 16, 17, 100, 999}) {
    const std::vector<Index> chosen = sources(Verification::sample, vertices, 12345);
    EXPECT_EQ(std::set<Index>(chosen.begin(), chosen.end()).size(),
              static_cast<std::size_t>(std::min<Index>(16, vertices)));
    EXPECT_GE(chosen.front(), 0);
    EXPECT_LT(chosen.back(), vertices);
  }
}

TEST(WrongSources, ThoseWithAWrongPathAmongTheRows) {
  const Graph graph{20, 0.2, 1};
  std::vector<Length> lengths;
  for (const Index source : {5, 6, 7})
    for (const Length length : shortest_from(graph, source)) lengths.push_back(length);
  const std::vector<Index> all = sources(Verification::full, 20, 1);
  EXPECT_THAT(wrong_sources(graph, all, {5, 3}, lengths), IsEmpty());
  lengths[20 + 11] += 1;
  EXPECT_THAT(wrong_sources(graph, all, {5, 3}, lengths), ElementsAre(6));
  EXPECT_THAT(wrong_sources(graph, {5, 7}, {5, 3}, lengths), IsEmpty());
}

}  // namespace
}  // namespace loadshare::floyd
