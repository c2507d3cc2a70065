#include "models/timing_graph/collectives/algorithms.hpp"

namespace loadshare::timing_graph::collectives {

/// The root receives from each in turn.
void gather_linear(const Call& call, int member, MessageWriter& out) {
  if (member != call.root) return out.send(call.root, call.of(member));
  for (int other = 0; other < call.size; ++other)
    if (other != call.root) out.receive(other);
}

}  // namespace loadshare::timing_graph::collectives
