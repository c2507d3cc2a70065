#include "models/timing_graph/collectives/algorithms.hpp"

namespace loadshare::timing_graph::collectives {

/// Blocks go around the ring.
void allgather_ring(const Call& call, int member, MessageWriter& out) {
  for (int step = 0; step < call.size - 1; ++step)
    out.exchange(call.after(member, 1), call.of(call.after(member, -step)), call.after(member, -1));
}

}  // namespace loadshare::timing_graph::collectives
