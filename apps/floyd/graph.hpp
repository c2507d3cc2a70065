#pragma once

#include <cstdint>
#include <span>

#include "base/types.hpp"

namespace loadshare::floyd {

/// The length of an edge or a path.
using Length = std::int32_t;

/// The length if there is no path. Any shorter length can be added to it without overflow.
inline constexpr Length no_path = 1 << 30;

/// The longest edge. A path of 46,340 edges, the maximum number of rows, is shorter than `no_path`.
inline constexpr Length longest_edge = 20'000;

/// The largest graph, because MPI counts the elements of its matrix in ints.
inline constexpr Index most_vertices = 46'340;

/// A random directed graph. Its edges and their lengths are a pure function of the seed, so that every rank
/// can make its own rows. Each pair of vertices has an edge with probability `density`, with a length drawn
/// uniformly from 1 to `longest_edge`.
struct Graph {
  Index vertices = 0;
  double density = 1;
  std::uint64_t seed = 1;
};

/// Stores the lengths of the edges from `vertex` to all vertices: 0 to itself, `no_path` without an edge.
void edges_from(const Graph& graph, Index vertex, std::span<Length> lengths);

}  // namespace loadshare::floyd
