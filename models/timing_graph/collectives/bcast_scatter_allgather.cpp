#include <algorithm>

#include "models/timing_graph/collectives/algorithms.hpp"
#include "models/timing_graph/collectives/trees.hpp"

namespace loadshare::timing_graph::collectives {

/// van de Geijn: the message is cut into parts that are scattered, then gathered everywhere.
void bcast_scatter_allgather(const Call& call, int member, MessageWriter& out) {
  Call parts = call;
  std::fill(parts.bytes.begin(), parts.bytes.end(), call.of(call.root) / call.size);
  scatter_binomial(parts, member, out);
  if (largest_power_of_two(call.size) == call.size)
    allgather_recursive_doubling(parts, member, out);
  else
    allgather_ring(parts, member, out);
}

}  // namespace loadshare::timing_graph::collectives
