#include "models/timing_graph/collectives/algorithms.hpp"

namespace loadshare::timing_graph::collectives {

/// The root sends in turn to each that gets something.
void scatterv_linear(const Call& call, int member, MessageWriter& out) {
  if (member != call.root) {
    if (call.of(member) > 0) out.receive(call.root);
    return;
  }
  for (int other = 0; other < call.size; ++other)
    if (other != call.root && call.of(other) > 0) out.send(other, call.of(other));
}

}  // namespace loadshare::timing_graph::collectives
