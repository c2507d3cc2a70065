#include "models/timing_graph/collectives/algorithms.hpp"

namespace loadshare::timing_graph::collectives {

/// Blocks go around the ring, each to end at its owner.
void reduce_scatter_ring(const Call& call, int member, MessageWriter& out) {
  const int to = call.after(member, 1), from = call.after(member, -1);
  std::uint32_t coming = out.begin_receive(from);
  out.send(to, call.of(from));
  for (int step = 2; step < call.size; ++step) {
    const std::uint32_t next = out.begin_receive(from);
    const int block = call.after(member, -step);
    out.wait(coming);
    out.reduce(call.of(block));
    out.send(to, call.of(block));
    coming = next;
  }
  out.wait(coming);
  out.reduce(call.of(member));
}

}  // namespace loadshare::timing_graph::collectives
