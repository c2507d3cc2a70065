#include "models/timing_graph/collectives/algorithms.hpp"

namespace loadshare::timing_graph::collectives {

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
