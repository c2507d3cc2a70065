#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "models/program/collectives/trees.hpp"
#include "models/program/timing_graph/program.hpp"

namespace loadshare::timing_graph::collectives {

/// Where an algorithm writes what one member does.
class MessageWriter final {
 public:
  struct Place {
    RankGroup members;
    std::int32_t tag = -1;     ///< of all messages of the call
    std::uint32_t origin = 0;  ///< the step that makes the call
    double reduction_s_per_byte = 0;
  };

  MessageWriter(OpList& ops, const Place& place) : ops_(&ops), place_(place) {}

  void send(int to, double bytes) { ops_->add(send_op(to, bytes)); }
  void receive(int from) { ops_->add(receive_op(from)); }
  std::uint32_t begin_send(int to, double bytes) { return begun(send_op(to, bytes)); }
  std::uint32_t begin_receive(int from) { return begun(receive_op(from)); }
  void wait(std::uint32_t request);
  /// For everything begun and not yet waited for.
  void wait_all();
  /// The receive is posted, the send made, the receive waited for.
  void exchange(int to, double bytes, int from);
  /// The operation of a reduction on so many bytes.
  void reduce(double bytes);

 private:
  Op send_op(int to, double bytes) const;
  Op receive_op(int from) const;
  std::uint32_t begun(const Op& op);

  OpList* ops_;
  Place place_;
  std::vector<std::uint32_t> open_;
};

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

/// Along the tree from its root to all.
void broadcast_along(const Tree& tree, double bytes, MessageWriter& out);
/// Along the tree to its root. Two receives are open at a time: while one child's part is reduced, the next
/// may come.
void reduce_along(const Tree& tree, double bytes, MessageWriter& out);

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
