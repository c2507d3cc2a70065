#include "models/timing_graph/collectives/algorithms.hpp"
#include "models/timing_graph/collectives/table.hpp"

namespace loadshare::timing_graph::collectives {

/// A gatherv to member 0, then a bcast of all blocks.
void allgatherv_default(const Call& call, int member, MessageWriter& out) {
  Call rooted = call;
  rooted.root = 0;
  gatherv_linear(rooted, member, out);
  rooted.bytes.assign(call.bytes.size(), call.total());
  write("bcast", rooted, member, out);
}

}  // namespace loadshare::timing_graph::collectives
