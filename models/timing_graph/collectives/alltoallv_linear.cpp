#include "models/timing_graph/collectives/algorithms.hpp"

namespace loadshare::timing_graph::collectives {

/// Everything is begun at once.
void alltoallv_linear(const Call& call, int member, MessageWriter& out) {
  for (int other = 0; other < call.size; ++other)
    if (other != member) out.begin_receive(other);
  for (int other = 0; other < call.size; ++other)
    if (other != member) out.begin_send(other, call.between(member, other));
  out.wait_all();
}

}  // namespace loadshare::timing_graph::collectives
