#include "models/timing_graph/collectives/algorithms.hpp"
#include "models/timing_graph/collectives/table.hpp"

namespace loadshare::timing_graph::collectives {

namespace {

void scatterv_after_reduce(const Call& call, int member, MessageWriter& out) {
  Call whole = call;
  whole.bytes.assign(call.bytes.size(), call.total());
  write("reduce", whole, member, out);
  scatterv_linear(call, member, out);
}

}  // namespace

/// A reduce to member 0, then a scatterv.
void reduce_scatter_nonoverlapping(const Call& call, int member, MessageWriter& out) {
  Call rooted = call;
  rooted.root = 0;
  scatterv_after_reduce(rooted, member, out);
}

}  // namespace loadshare::timing_graph::collectives
