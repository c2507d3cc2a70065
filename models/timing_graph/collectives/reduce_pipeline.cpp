#include "models/timing_graph/collectives/algorithms.hpp"
#include "models/timing_graph/collectives/trees.hpp"

namespace loadshare::timing_graph::collectives {

/// Down one chain to the root.
void reduce_pipeline(const Call& call, int member, MessageWriter& out) {
  reduce_along(chain(call.size, call.root, member, 1), call.of(call.root), out);
}

}  // namespace loadshare::timing_graph::collectives
