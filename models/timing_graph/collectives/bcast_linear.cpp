#include "models/timing_graph/collectives/algorithms.hpp"

namespace loadshare::timing_graph::collectives {

/// The root sends to each.
void bcast_linear(const Call& call, int member, MessageWriter& out) {
  if (member != call.root) return out.receive(call.root);
  for (int other = 0; other < call.size; ++other)
    if (other != call.root) out.begin_send(other, call.of(call.root));
  out.wait_all();
}

}  // namespace loadshare::timing_graph::collectives
