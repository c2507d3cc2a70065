#pragma once

#include <cstddef>
#include <numeric>
#include <vector>

#include "models/program/collectives/message_writer.hpp"

namespace loadshare::timing_graph::collectives {

/// One collective call of all members of a group, who are counted from 0 in it.
struct Call {
  int size = 1;
  int root = 0;
  /// By member; of alltoallv by sender, then receiver.
  std::vector<double> bytes;

  double of(int member) const { return bytes[static_cast<std::size_t>(member)]; }
  double between(int from, int to) const {
    const auto row = static_cast<std::size_t>(from) * static_cast<std::size_t>(size);
    return bytes[row + static_cast<std::size_t>(to)];
  }
  double total() const { return std::accumulate(bytes.begin(), bytes.end(), 0.0); }
  /// The member `steps` after `member`, around the ring; `steps` may be negative, down to -size.
  int after(int member, int steps) const { return (member + steps + size) % size; }
  /// Bytes of `count` members from `first` on, around the ring.
  double of_some(int first, int count) const {
    double sum = 0;
    for (int i = 0; i < count; ++i) sum += of((first + i) % size);
    return sum;
  }
};

/// Writes what `member` does in `call`; two members at least.
using Algorithm = void (*)(const Call& call, int member, MessageWriter& out);

// The algorithms of Open MPI 4.1 (ompi/mca/coll/base, basic), one a file in this folder; what it calls
// segments is left out, as its own choice sends messages whole.

void barrier_linear(const Call& call, int member, MessageWriter& out);
void barrier_recursive_doubling(const Call& call, int member, MessageWriter& out);
void barrier_bruck(const Call& call, int member, MessageWriter& out);
void barrier_tree(const Call& call, int member, MessageWriter& out);

void bcast_linear(const Call& call, int member, MessageWriter& out);
void bcast_chain(const Call& call, int member, MessageWriter& out);
void bcast_binary(const Call& call, int member, MessageWriter& out);
void bcast_binomial(const Call& call, int member, MessageWriter& out);
void bcast_knomial(const Call& call, int member, MessageWriter& out);
void bcast_scatter_allgather(const Call& call, int member, MessageWriter& out);

void reduce_linear(const Call& call, int member, MessageWriter& out);
void reduce_chain(const Call& call, int member, MessageWriter& out);
void reduce_binary(const Call& call, int member, MessageWriter& out);
void reduce_binomial(const Call& call, int member, MessageWriter& out);

void allreduce_recursive_doubling(const Call& call, int member, MessageWriter& out);
void allreduce_ring(const Call& call, int member, MessageWriter& out);
void allreduce_rabenseifner(const Call& call, int member, MessageWriter& out);
void allreduce_nonoverlapping(const Call& call, int member, MessageWriter& out);

void gather_linear(const Call& call, int member, MessageWriter& out);
void gather_binomial(const Call& call, int member, MessageWriter& out);
void gather_linear_sync(const Call& call, int member, MessageWriter& out);
void gatherv_linear(const Call& call, int member, MessageWriter& out);

void scatter_linear(const Call& call, int member, MessageWriter& out);
void scatter_binomial(const Call& call, int member, MessageWriter& out);
void scatter_linear_nb(const Call& call, int member, MessageWriter& out);
void scatterv_linear(const Call& call, int member, MessageWriter& out);

// The same for allgather, whose blocks are of one size, and allgatherv.
void allgather_bruck(const Call& call, int member, MessageWriter& out);
void allgather_recursive_doubling(const Call& call, int member, MessageWriter& out);
void allgather_ring(const Call& call, int member, MessageWriter& out);
void allgather_neighbor(const Call& call, int member, MessageWriter& out);
void allgatherv_default(const Call& call, int member, MessageWriter& out);

void alltoall_linear(const Call& call, int member, MessageWriter& out);
void alltoall_pairwise(const Call& call, int member, MessageWriter& out);
void alltoall_bruck(const Call& call, int member, MessageWriter& out);
void alltoallv_linear(const Call& call, int member, MessageWriter& out);
void alltoallv_pairwise(const Call& call, int member, MessageWriter& out);

// Both of two members.
void exchange_two_proc(const Call& call, int member, MessageWriter& out);

void reduce_scatter_nonoverlapping(const Call& call, int member, MessageWriter& out);
void reduce_scatter_recursive_halving(const Call& call, int member, MessageWriter& out);
void reduce_scatter_ring(const Call& call, int member, MessageWriter& out);

void scan_linear(const Call& call, int member, MessageWriter& out);

}  // namespace loadshare::timing_graph::collectives
