#include <algorithm>

#include "models/program/collectives/algorithms.hpp"
#include "models/program/collectives/trees.hpp"

namespace loadshare::timing_graph::collectives {

/// Along a binary tree.
void bcast_binary(const Call& call, int member, MessageWriter& out) {
  broadcast_along(binary(call.size, call.root, member), call.of(call.root), out);
}

/// Along a binomial tree.
void bcast_binomial(const Call& call, int member, MessageWriter& out) {
  broadcast_along(binomial(call.size, call.root, member), call.of(call.root), out);
}

/// One member hands on to the next; "pipeline" is the same, as messages are sent whole.
void bcast_chain(const Call& call, int member, MessageWriter& out) {
  broadcast_along(chain(call.size, call.root, member), call.of(call.root), out);
}

/// Along a k-nomial tree of radix 4.
void bcast_knomial(const Call& call, int member, MessageWriter& out) {
  broadcast_along(knomial(call.size, call.root, member, 4), call.of(call.root), out);
}

/// The root sends to each.
void bcast_linear(const Call& call, int member, MessageWriter& out) {
  if (member != call.root) return out.receive(call.root);
  for (int other = 0; other < call.size; ++other)
    if (other != call.root) out.begin_send(other, call.of(call.root));
  out.wait_all();
}

/// van de Geijn: the message is cut into parts that are scattered, then gathered everywhere.
void bcast_scatter_allgather(const Call& call, int member, MessageWriter& out) {
  Call parts = call;
  std::fill(parts.bytes.begin(), parts.bytes.end(), call.of(call.root) / call.size);
  scatter_binomial(parts, member, out);
  if (largest_power_of_two(call.size) == call.size)
    allgather_recursive_doubling(parts, member, out);
  else
    allgather_ring(parts, member, out);
}

}  // namespace loadshare::timing_graph::collectives
