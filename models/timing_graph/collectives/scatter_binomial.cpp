#include "models/timing_graph/collectives/algorithms.hpp"
#include "models/timing_graph/collectives/trees.hpp"

namespace loadshare::timing_graph::collectives {

/// Up a binomial tree, each member with what its subtree gets.
void scatter_binomial(const Call& call, int member, MessageWriter& out) {
  const Tree tree = binomial_in_order(call.size, call.root, member);
  if (tree.parent >= 0) out.receive(tree.parent);
  for (auto child = tree.children.rbegin(); child != tree.children.rend(); ++child)
    out.send(*child, call.of_some(*child, binomial_in_order(call.size, call.root, *child).below));
}

}  // namespace loadshare::timing_graph::collectives
