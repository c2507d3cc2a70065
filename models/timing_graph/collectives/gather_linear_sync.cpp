#include <vector>

#include "models/timing_graph/collectives/algorithms.hpp"

namespace loadshare::timing_graph::collectives {

/// The root calls each member up in turn. As messages are not cut, the second segment is empty.
void gather_linear_sync(const Call& call, int member, MessageWriter& out) {
  if (member != call.root) {
    out.receive(call.root);
    out.send(call.root, call.of(member));
    out.send(call.root, 0);
    return;
  }
  std::vector<std::uint32_t> rests;
  for (int other = 0; other < call.size; ++other) {
    if (other == call.root) continue;
    const std::uint32_t block = out.begin_receive(other);
    out.send(other, 0);
    rests.push_back(out.begin_receive(other));
    out.wait(block);
  }
  for (const std::uint32_t rest : rests) out.wait(rest);
}

}  // namespace loadshare::timing_graph::collectives
