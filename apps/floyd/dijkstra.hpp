#pragma once

#include <vector>

#include "apps/floyd/graph.hpp"

namespace loadshare::floyd {

/// The lengths of the shortest paths from `source` to all vertices, `no_path` where there is none, by
/// Dijkstra's algorithm in its first form (E. W. Dijkstra, "A note on two problems in connexion with graphs",
/// 1959): time proportional to the vertices squared, and memory for a few rows only, since the edges are made
/// as they are needed.
std::vector<Length> shortest_from(const Graph& graph, Index source);

}  // namespace loadshare::floyd
