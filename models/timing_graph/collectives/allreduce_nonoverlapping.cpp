#include "models/timing_graph/collectives/algorithms.hpp"
#include "models/timing_graph/collectives/table.hpp"

namespace loadshare::timing_graph::collectives {

/// A reduce to member 0, then a bcast.
void allreduce_nonoverlapping(const Call& call, int member, MessageWriter& out) {
  Call rooted = call;
  rooted.root = 0;
  write("reduce", rooted, member, out);
  write("bcast", rooted, member, out);
}

}  // namespace loadshare::timing_graph::collectives
