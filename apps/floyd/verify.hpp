#pragma once

#include <string>
#include <vector>

#include "apps/floyd/graph.hpp"
#include "apps/floyd/paths.hpp"

namespace loadshare::floyd {

/// The lengths of the shortest paths from `source` to all vertices, `no_path` where there is none, by
/// Dijkstra's algorithm in its first form (E. W. Dijkstra, "A note on two problems in connexion with graphs",
/// 1959): time proportional to the vertices squared, and memory for a few rows only, since the edges are made
/// as they are needed.
std::vector<Length> shortest_from(const Graph& graph, Index source);

/// The vertices whose paths are looked at: all, or 16 that are spread evenly, from one by the seed on.
std::vector<Index> sources(Verification how, Index vertices, std::uint64_t seed);

/// Of the sources among `rows`, those with a path that is not the one Dijkstra's algorithm finds.
std::vector<Index> wrong_sources(const Graph& graph, const std::vector<Index>& sources, spmd::Part rows,
                                 std::span<const Length> lengths);

/// What is wrong with the paths of all ranks; empty where nothing is. Collective.
std::string what_is_wrong(Paths& paths, const FloydOptions& options, spmd::Exchange& exchange);

}  // namespace loadshare::floyd
