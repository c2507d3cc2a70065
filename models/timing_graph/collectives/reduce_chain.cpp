#include "models/timing_graph/collectives/algorithms.hpp"
#include "models/timing_graph/collectives/trees.hpp"

namespace loadshare::timing_graph::collectives {

/// Down a chain to the root; "pipeline" is the same, as messages are sent whole.
void reduce_chain(const Call& call, int member, MessageWriter& out) {
  reduce_along(chain(call.size, call.root, member), call.of(call.root), out);
}

}  // namespace loadshare::timing_graph::collectives
