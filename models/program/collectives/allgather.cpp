#include <algorithm>

#include "models/program/collectives/algorithms.hpp"
#include "models/program/collectives/table.hpp"
#include "models/program/collectives/trees.hpp"

namespace loadshare::timing_graph::collectives {

/// In step k everybody passes the 2^k blocks it has to the member 2^k before it.
void allgather_bruck(const Call& call, int member, MessageWriter& out) {
  for (int distance = 1; distance < call.size; distance <<= 1) {
    const int count = std::min(distance, call.size - distance);
    out.exchange(call.after(member, -distance), call.of_some(member, count), call.after(member, distance));
  }
}

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

/// Pairs at distance 1, 2, 4 ... exchange what they have; for powers of two only.
void allgather_recursive_doubling(const Call& call, int member, MessageWriter& out) {
  if (largest_power_of_two(call.size) != call.size) return allgather_bruck(call, member, out);
  for (int distance = 1; distance < call.size; distance <<= 1) {
    const int other = member ^ distance;
    out.exchange(other, call.of_some(member & ~(distance - 1), distance), other);
  }
}

/// Blocks go around the ring.
void allgather_ring(const Call& call, int member, MessageWriter& out) {
  for (int step = 0; step < call.size - 1; ++step)
    out.exchange(call.after(member, 1), call.of(call.after(member, -step)), call.after(member, -1));
}

/// A gatherv to member 0, then a bcast of all blocks.
void allgatherv_default(const Call& call, int member, MessageWriter& out) {
  Call rooted = call;
  rooted.root = 0;
  gatherv_linear(rooted, member, out);
  rooted.bytes.assign(call.bytes.size(), call.total());
  write("bcast", rooted, member, out);
}

void exchange_two_proc(const Call& call, int member, MessageWriter& out) {
  out.exchange(1 - member, call.of(member), 1 - member);
}

}  // namespace loadshare::timing_graph::collectives
