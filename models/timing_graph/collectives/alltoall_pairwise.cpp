#include "models/timing_graph/collectives/algorithms.hpp"

namespace loadshare::timing_graph::collectives {

/// In step k everybody sends to the member k after it.
void alltoall_pairwise(const Call& call, int member, MessageWriter& out) {
  for (int step = 1; step < call.size; ++step)
    out.exchange(call.after(member, step), call.of(member), call.after(member, -step));
}

}  // namespace loadshare::timing_graph::collectives
