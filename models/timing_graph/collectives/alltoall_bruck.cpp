#include "models/timing_graph/collectives/algorithms.hpp"

namespace loadshare::timing_graph::collectives {

/// In step k everybody sends the blocks whose distance has the bit k to the member 2^k after it.
void alltoall_bruck(const Call& call, int member, MessageWriter& out) {
  for (int distance = 1; distance < call.size; distance <<= 1) {
    int blocks = 0;
    for (int block = 1; block < call.size; ++block) blocks += (block & distance) != 0 ? 1 : 0;
    out.exchange(call.after(member, distance), blocks * call.of(member), call.after(member, -distance));
  }
}

}  // namespace loadshare::timing_graph::collectives
