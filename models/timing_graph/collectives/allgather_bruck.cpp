#include <algorithm>

#include "models/timing_graph/collectives/algorithms.hpp"

namespace loadshare::timing_graph::collectives {

/// In step k everybody passes the 2^k blocks it has to the member 2^k before it.
void allgather_bruck(const Call& call, int member, MessageWriter& out) {
  for (int distance = 1; distance < call.size; distance <<= 1) {
    const int count = std::min(distance, call.size - distance);
    out.exchange(call.after(member, -distance), call.of_some(member, count), call.after(member, distance));
  }
}

}  // namespace loadshare::timing_graph::collectives
