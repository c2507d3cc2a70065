#include "models/program/collectives/algorithms.hpp"
#include "models/program/collectives/trees.hpp"

namespace loadshare::timing_graph::collectives {

/// In step k everybody signals the member 2^k after it.
void barrier_bruck(const Call& call, int member, MessageWriter& out) {
  for (int distance = 1; distance < call.size; distance <<= 1)
    out.exchange(call.after(member, distance), 0, call.after(member, -distance));
}

/// Everybody tells member 0, which then tells everybody.
void barrier_linear(const Call& call, int member, MessageWriter& out) {
  if (member != 0) {
    out.send(0, 0);
    out.receive(0);
    return;
  }
  for (int other = 1; other < call.size; ++other) out.begin_receive(other);
  out.wait_all();
  for (int other = 1; other < call.size; ++other) out.send(other, 0);
}

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

/// Up a binomial tree and down again.
void barrier_tree(const Call& call, int member, MessageWriter& out) {
  const auto is_pair = [&](int other, int jump) { return (other & (jump - 1)) == 0 && other < call.size; };
  int jump = 1;
  for (; jump < call.size; jump <<= 1) {
    const int other = member ^ jump;
    if (!is_pair(other, jump)) continue;
    other > member ? out.receive(other) : out.send(other, 0);
  }
  for (jump >>= 1; jump > 0; jump >>= 1) {
    const int other = member ^ jump;
    if (!is_pair(other, jump)) continue;
    other > member ? out.send(other, 0) : out.receive(other);
  }
}

}  // namespace loadshare::timing_graph::collectives
