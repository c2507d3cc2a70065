#pragma once

#include <cstdint>
#include <span>

#include "base/types.hpp"

namespace loadshare::floyd {

/// The length of an edge or a path.
using Length = std::int32_t;

/// Where there is no path. A length that is less can be added to it.
inline constexpr Length no_path = 1 << 30;

/// The longest edge: paths of 46,340 edges, as many as a matrix may have rows, stay below `no_path`.
inline constexpr Length longest_edge = 20'000;

/// The largest graph: MPI counts the elements of its matrix in ints.
inline constexpr Index most_vertices = 46'340;

/// A random directed graph: which edges there are, and how long they are, follows from the seed alone, so
/// that every rank can make its own rows. Each pair of vertices has an edge with probability `density`, of a
/// length from 1 to `longest_edge`, any as likely.
struct Graph {
  Index vertices = 0;
  double density = 1;
  std::uint64_t seed = 1;
};

/// The lengths of the edges from `vertex` to all others: 0 to itself, `no_path` where there is none.
void edges_from(const Graph& graph, Index vertex, std::span<Length> lengths);

}  // namespace loadshare::floyd
