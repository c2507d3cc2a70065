#include "models/timing_graph/collectives/algorithms.hpp"

namespace loadshare::timing_graph::collectives {

/// In step k everybody signals the member 2^k after it.
void barrier_bruck(const Call& call, int member, MessageWriter& out) {
  for (int distance = 1; distance < call.size; distance <<= 1)
    out.exchange(call.after(member, distance), 0, call.after(member, -distance));
}

}  // namespace loadshare::timing_graph::collectives
