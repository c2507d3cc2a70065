#include "models/timing_graph/collectives/algorithms.hpp"
#include "models/timing_graph/collectives/trees.hpp"

namespace loadshare::timing_graph::collectives {

/// Down a binary tree.
void reduce_binary(const Call& call, int member, MessageWriter& out) {
  reduce_along(binary(call.size, call.root, member), call.of(call.root), out);
}

}  // namespace loadshare::timing_graph::collectives
