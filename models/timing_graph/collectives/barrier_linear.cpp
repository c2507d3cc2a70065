#include "models/timing_graph/collectives/algorithms.hpp"

namespace loadshare::timing_graph::collectives {

/// Everybody tells member 0, which then tells everybody.
void barrier_linear(const Call& call, int member, MessageWriter& out) {
  if (member != 0) {
    out.send(0, 0);
    out.receive(0);
    return;
  }
  for (int other = 1; other < call.size; ++other) out.begin_receive(other);
  out.wait_all();
  for (int other = 1; other < call.size; ++other) out.send(other, 0);
}

}  // namespace loadshare::timing_graph::collectives
