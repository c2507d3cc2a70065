#include <vector>

#include "models/program/collectives/algorithms.hpp"
#include "models/program/collectives/trees.hpp"

namespace loadshare::timing_graph::collectives {

/// Down a binomial tree, each member with what its subtree gave it.
void gather_binomial(const Call& call, int member, MessageWriter& out) {
  const Tree tree = binomial_in_order(call.size, call.root, member);
  for (const int child : tree.children) out.receive(child);
  if (tree.parent >= 0) out.send(tree.parent, call.of_some(member, tree.below));
}

/// The root receives from each in turn.
void gather_linear(const Call& call, int member, MessageWriter& out) {
  if (member != call.root) return out.send(call.root, call.of(member));
  for (int other = 0; other < call.size; ++other)
    if (other != call.root) out.receive(other);
}

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

/// The root receives in turn from each that has something.
void gatherv_linear(const Call& call, int member, MessageWriter& out) {
  if (member != call.root) {
    if (call.of(member) > 0) out.send(call.root, call.of(member));
    return;
  }
  for (int other = 0; other < call.size; ++other)
    if (other != call.root && call.of(other) > 0) out.receive(other);
}

}  // namespace loadshare::timing_graph::collectives
