#include "models/timing_graph/collectives/algorithms.hpp"
#include "models/timing_graph/collectives/trees.hpp"

namespace loadshare::timing_graph::collectives {

/// Down a binomial tree whose subtrees are runs of members.
void reduce_binomial(const Call& call, int member, MessageWriter& out) {
  reduce_along(binomial_in_order(call.size, call.root, member), call.of(call.root), out);
}

}  // namespace loadshare::timing_graph::collectives
