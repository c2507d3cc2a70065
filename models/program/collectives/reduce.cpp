#include "models/program/collectives/algorithms.hpp"
#include "models/program/collectives/trees.hpp"

namespace loadshare::timing_graph::collectives {

/// Down a binary tree.
void reduce_binary(const Call& call, int member, MessageWriter& out) {
  reduce_along(binary(call.size, call.root, member), call.of(call.root), out);
}

/// Down a binomial tree whose subtrees are runs of members.
void reduce_binomial(const Call& call, int member, MessageWriter& out) {
  reduce_along(binomial_in_order(call.size, call.root, member), call.of(call.root), out);
}

/// Down a chain to the root; "pipeline" is the same, as messages are sent whole.
void reduce_chain(const Call& call, int member, MessageWriter& out) {
  reduce_along(chain(call.size, call.root, member), call.of(call.root), out);
}

/// The root receives from each, the last first.
void reduce_linear(const Call& call, int member, MessageWriter& out) {
  const double bytes = call.of(call.root);
  if (member != call.root) return out.send(call.root, bytes);
  for (int other = call.size - 1; other >= 0; --other) {
    if (other == call.root) continue;
    out.receive(other);
    out.reduce(bytes);
  }
}

}  // namespace loadshare::timing_graph::collectives
