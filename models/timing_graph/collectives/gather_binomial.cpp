#include "models/timing_graph/collectives/algorithms.hpp"
#include "models/timing_graph/collectives/trees.hpp"

namespace loadshare::timing_graph::collectives {

/// Down a binomial tree, each member with what its subtree gave it.
void gather_binomial(const Call& call, int member, MessageWriter& out) {
  const Tree tree = binomial_in_order(call.size, call.root, member);
  for (const int child : tree.children) out.receive(child);
  if (tree.parent >= 0) out.send(tree.parent, call.of_some(member, tree.below));
}

}  // namespace loadshare::timing_graph::collectives
