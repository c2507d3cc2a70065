#include "models/timing_graph/collectives/algorithms.hpp"

namespace loadshare::timing_graph::collectives {

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
