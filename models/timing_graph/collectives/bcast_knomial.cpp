#include "models/timing_graph/collectives/algorithms.hpp"
#include "models/timing_graph/collectives/trees.hpp"

namespace loadshare::timing_graph::collectives {

/// Along a k-nomial tree of radix 4.
void bcast_knomial(const Call& call, int member, MessageWriter& out) {
  broadcast_along(knomial(call.size, call.root, member, 4), call.of(call.root), out);
}

}  // namespace loadshare::timing_graph::collectives
