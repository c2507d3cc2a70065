#include "models/timing_graph/collectives/algorithms.hpp"
#include "models/timing_graph/collectives/trees.hpp"

namespace loadshare::timing_graph::collectives {

/// Members beyond the largest power of two report to one of the others, which exchange in pairs.
void barrier_recursive_doubling(const Call& call, int member, MessageWriter& out) {
  const int paired = largest_power_of_two(call.size);
  if (member >= paired) return out.exchange(member - paired, 0, member - paired);
  const bool has_extra = member + paired < call.size;
  if (has_extra) out.receive(member + paired);
  for (int mask = 1; mask < paired; mask <<= 1) out.exchange(member ^ mask, 0, member ^ mask);
  // Synchronous in Open MPI, which here only means that it goes on after an answer: the receive is posted
  // long since, and not every calibration has measured that mode.
  if (has_extra) out.send(member + paired, 0);
}

}  // namespace loadshare::timing_graph::collectives
