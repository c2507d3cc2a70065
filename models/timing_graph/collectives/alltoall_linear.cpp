#include "models/timing_graph/collectives/algorithms.hpp"

namespace loadshare::timing_graph::collectives {

/// Everything is begun at once. "Linear with synchronization" is the same, as its window is not limited.
void alltoall_linear(const Call& call, int member, MessageWriter& out) {
  for (int step = 1; step < call.size; ++step) out.begin_receive(call.after(member, step));
  for (int step = 1; step < call.size; ++step) out.begin_send(call.after(member, -step), call.of(member));
  out.wait_all();
}

}  // namespace loadshare::timing_graph::collectives
