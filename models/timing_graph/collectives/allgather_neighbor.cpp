#include "models/timing_graph/collectives/algorithms.hpp"

namespace loadshare::timing_graph::collectives {

/// Neighbours on both sides exchange two blocks in turn; for even sizes only.
void allgather_neighbor(const Call& call, int member, MessageWriter& out) {
  if (call.size % 2 != 0) return allgather_ring(call, member, out);
  const int side = member % 2 == 0 ? 1 : -1;
  const int neighbors[] = {call.after(member, side), call.after(member, -side)};
  int newest[] = {member & ~1, member & ~1};
  out.exchange(neighbors[0], call.of(member), neighbors[0]);
  int sending = member & ~1;
  for (int step = 1; step < call.size / 2; ++step) {
    const int turn = step % 2;
    newest[turn] = call.after(newest[turn], turn == 0 ? 2 * side : -2 * side);
    out.exchange(neighbors[turn], call.of_some(sending, 2), neighbors[turn]);
    sending = newest[turn];
  }
}

}  // namespace loadshare::timing_graph::collectives
