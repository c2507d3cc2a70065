#include "models/program/collectives/algorithms.hpp"

namespace loadshare::timing_graph::collectives {

/// From each member to the next; exscan too.
void scan_linear(const Call& call, int member, MessageWriter& out) {
  if (member > 0) {
    out.receive(member - 1);
    out.reduce(call.of(0));
  }
  if (member + 1 < call.size) out.send(member + 1, call.of(0));
}

}  // namespace loadshare::timing_graph::collectives
