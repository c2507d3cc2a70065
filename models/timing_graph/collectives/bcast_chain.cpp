#include "models/timing_graph/collectives/algorithms.hpp"
#include "models/timing_graph/collectives/trees.hpp"

namespace loadshare::timing_graph::collectives {

/// One member hands on to the next; "pipeline" is the same, as messages are sent whole.
void bcast_chain(const Call& call, int member, MessageWriter& out) {
  broadcast_along(chain(call.size, call.root, member), call.of(call.root), out);
}

}  // namespace loadshare::timing_graph::collectives
