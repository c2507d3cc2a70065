#include "models/timing_graph/collectives/algorithms.hpp"

namespace loadshare::timing_graph::collectives {

/// The root sends to each in turn.
void scatter_linear(const Call& call, int member, MessageWriter& out) {
  if (member != call.root) return out.receive(call.root);
  for (int other = 0; other < call.size; ++other)
    if (other != call.root) out.send(other, call.of(other));
}

}  // namespace loadshare::timing_graph::collectives
