#pragma once

#include "models/program/collectives/message_writer.hpp"

namespace loadshare::timing_graph::collectives {

/// Writes what `member` does in `call`; two members at least.
using Writes = void(const Call& call, int member, MessageWriter& out);
using Algorithm = Writes*;

// The algorithms of Open MPI 4.1 (ompi/mca/coll/base, basic). What it calls segments is left out, as its own
// choice sends messages whole; so "pipeline" is the same as the chain.

Writes barrier_linear, barrier_recursive_doubling, barrier_bruck, barrier_tree;
Writes bcast_linear, bcast_scatter_allgather;
Writes reduce_linear;
Writes allreduce_recursive_doubling, allreduce_ring, allreduce_rabenseifner, allreduce_nonoverlapping;
Writes gather_linear, gather_binomial, gather_linear_sync, gatherv_linear;
Writes scatter_linear, scatter_binomial, scatter_linear_nb, scatterv_linear;
// The same for allgather, whose blocks are of one size, and allgatherv.
Writes allgather_bruck, allgather_recursive_doubling, allgather_ring, allgather_neighbor, allgatherv_default;
Writes alltoall_linear, alltoall_pairwise, alltoall_bruck, alltoallv_linear, alltoallv_pairwise;
Writes exchange_two_proc;  // allgather, allgatherv and alltoall of two members
Writes reduce_scatter_nonoverlapping, reduce_scatter_recursive_halving, reduce_scatter_ring;
Writes scan_linear;

template <Tree (*shape)(int size, int root, int member)>
void bcast_tree(const Call& call, int member, MessageWriter& out) {
  broadcast_along(shape(call.size, call.root, member), call.of(call.root), out);
}
template <Tree (*shape)(int size, int root, int member)>
void reduce_tree(const Call& call, int member, MessageWriter& out) {
  reduce_along(shape(call.size, call.root, member), call.of(call.root), out);
}
inline constexpr Algorithm bcast_binary = bcast_tree<binary>, bcast_binomial = bcast_tree<binomial>,
                           bcast_chain = bcast_tree<chain>, bcast_knomial = bcast_tree<knomial>;
inline constexpr Algorithm reduce_binary = reduce_tree<binary>,
                           reduce_binomial = reduce_tree<binomial_in_order>,
                           reduce_chain = reduce_tree<chain>;

}  // namespace loadshare::timing_graph::collectives
