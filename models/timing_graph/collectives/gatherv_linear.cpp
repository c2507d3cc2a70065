#include "models/timing_graph/collectives/algorithms.hpp"

namespace loadshare::timing_graph::collectives {

/// The root receives in turn from each that has something.
void gatherv_linear(const Call& call, int member, MessageWriter& out) {
  if (member != call.root) {
    if (call.of(member) > 0) out.send(call.root, call.of(member));
    return;
  }
  for (int other = 0; other < call.size; ++other)
    if (other != call.root && call.of(other) > 0) out.receive(other);
}

}  // namespace loadshare::timing_graph::collectives
