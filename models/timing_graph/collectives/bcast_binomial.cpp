#include "models/timing_graph/collectives/algorithms.hpp"
#include "models/timing_graph/collectives/trees.hpp"

namespace loadshare::timing_graph::collectives {

/// Along a binomial tree.
void bcast_binomial(const Call& call, int member, MessageWriter& out) {
  broadcast_along(binomial(call.size, call.root, member), call.of(call.root), out);
}

}  // namespace loadshare::timing_graph::collectives
