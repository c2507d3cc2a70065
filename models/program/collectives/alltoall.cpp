#include "models/program/collectives/algorithms.hpp"

namespace loadshare::timing_graph::collectives {

/// In step k everybody sends the blocks whose distance has the bit k to the member 2^k after it.
void alltoall_bruck(const Call& call, int member, MessageWriter& out) {
  for (int distance = 1; distance < call.size; distance <<= 1) {
    int blocks = 0;
    for (int block = 1; block < call.size; ++block) blocks += (block & distance) != 0 ? 1 : 0;
    out.exchange(call.after(member, distance), blocks * call.of(member), call.after(member, -distance));
  }
}

/// Everything is begun at once. "Linear with synchronization" is the same, as its window is not limited.
void alltoall_linear(const Call& call, int member, MessageWriter& out) {
  for (int step = 1; step < call.size; ++step) out.begin_receive(call.after(member, step));
  for (int step = 1; step < call.size; ++step) out.begin_send(call.after(member, -step), call.of(member));
  out.wait_all();
}

/// In step k everybody sends to the member k after it.
void alltoall_pairwise(const Call& call, int member, MessageWriter& out) {
  for (int step = 1; step < call.size; ++step)
    out.exchange(call.after(member, step), call.of(member), call.after(member, -step));
}

/// Everything is begun at once.
void alltoallv_linear(const Call& call, int member, MessageWriter& out) {
  for (int other = 0; other < call.size; ++other)
    if (other != member) out.begin_receive(other);
  for (int other = 0; other < call.size; ++other)
    if (other != member) out.begin_send(other, call.between(member, other));
  out.wait_all();
}

/// In step k everybody sends to the member k after it.
void alltoallv_pairwise(const Call& call, int member, MessageWriter& out) {
  for (int step = 1; step < call.size; ++step) {
    const int to = call.after(member, step);
    out.exchange(to, call.between(member, to), call.after(member, -step));
  }
}

}  // namespace loadshare::timing_graph::collectives
