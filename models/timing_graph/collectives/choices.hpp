#pragma once

#include <limits>
#include <span>

#include "models/timing_graph/collectives/algorithms.hpp"

namespace loadshare::timing_graph::collectives {

/// The first row whose bounds a call stays below is the algorithm Open MPI 4.1 takes for it
/// (coll/tuned, its fixed decisions for commutative operations).
struct Choice {
  int below_size = 0;
  double below_bytes = 0;
  Algorithm algorithm = nullptr;
};

inline constexpr int any_size = std::numeric_limits<int>::max();
inline constexpr double any_bytes = std::numeric_limits<double>::infinity();

// One a file in this folder. Where Open MPI has an algorithm that is not here, a row names the nearest: the
// butterfly's is recursive halving, the split binary tree's (bcast, from 256 members on) the binary tree's,
// the in-order binary tree's (reduce, from 256 members on) the binomial tree's, Rabenseifner's of the fewest
// bytes (reduce, below 4 members) the linear one, recursive doubling (reduce_scatter_block, few bytes or few
// members) recursive halving.
std::span<const Choice> choices_of_allgather();
std::span<const Choice> choices_of_allgatherv();
std::span<const Choice> choices_of_allreduce();
std::span<const Choice> choices_of_alltoall();
std::span<const Choice> choices_of_alltoallv();
std::span<const Choice> choices_of_barrier();
std::span<const Choice> choices_of_bcast();
std::span<const Choice> choices_of_gather();
std::span<const Choice> choices_of_reduce();
std::span<const Choice> choices_of_reduce_scatter();
std::span<const Choice> choices_of_reduce_scatter_block();
std::span<const Choice> choices_of_scatter();

}  // namespace loadshare::timing_graph::collectives
