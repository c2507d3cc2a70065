#pragma once

#include <string>
#include <vector>

#include "apps/floyd/graph.hpp"
#include "apps/floyd/paths.hpp"

namespace loadshare::floyd {

/// Returns the lengths of the shortest paths from `source` to all vertices, `no_path` without a path. Uses
/// Dijkstra's algorithm in its first form (E. W. Dijkstra, "A note on two problems in connexion with graphs",
/// 1959). Takes time proportional to the square of the number of vertices, but memory for a few rows only,
/// because edges are made when they are needed.
std::vector<Length> shortest_from(const Graph& graph, Index source);

/// Returns the sources of the paths to check: all vertices, or 16 evenly spaced ones from an offset given by
/// the seed.
std::vector<Index> sources(Verification how, Index vertices, std::uint64_t seed);

/// Returns the sources among `rows` with a path that differs from that of Dijkstra's algorithm.
std::vector<Index> wrong_sources(const Graph& graph, const std::vector<Index>& sources, spmd::Part rows,
                                 std::span<const Length> lengths);

/// Returns what is wrong with the paths of all ranks, or an empty text. Collective.
std::string what_is_wrong(Paths& paths, const FloydOptions& options, spmd::Exchange& exchange);

}  // namespace loadshare::floyd
