#include <algorithm>

#include "models/timing_graph/collectives/algorithms.hpp"

namespace loadshare::timing_graph::collectives {

/// Parts go around the ring twice: once to be reduced, once to be known. Fewer elements (taken as 8 bytes
/// long) than members: by recursive doubling.
void allreduce_ring(const Call& call, int member, MessageWriter& out) {
  constexpr double element_bytes = 8;
  if (call.of(0) < element_bytes * call.size) return allreduce_recursive_doubling(call, member, out);
  Call parts = call;
  std::fill(parts.bytes.begin(), parts.bytes.end(), call.of(0) / call.size);
  reduce_scatter_ring(parts, member, out);
  allgather_ring(parts, member, out);
}

}  // namespace loadshare::timing_graph::collectives
