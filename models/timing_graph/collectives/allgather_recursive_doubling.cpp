#include "models/timing_graph/collectives/algorithms.hpp"
#include "models/timing_graph/collectives/trees.hpp"

namespace loadshare::timing_graph::collectives {

/// Pairs at distance 1, 2, 4 ... exchange what they have; for powers of two only.
void allgather_recursive_doubling(const Call& call, int member, MessageWriter& out) {
  if (largest_power_of_two(call.size) != call.size) return allgather_bruck(call, member, out);
  for (int distance = 1; distance < call.size; distance <<= 1) {
    const int other = member ^ distance;
    out.exchange(other, call.of_some(member & ~(distance - 1), distance), other);
  }
}

}  // namespace loadshare::timing_graph::collectives
