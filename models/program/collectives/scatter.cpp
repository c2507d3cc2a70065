#include "models/program/collectives/algorithms.hpp"
#include "models/program/collectives/trees.hpp"

namespace loadshare::timing_graph::collectives {

/// Up a binomial tree, each member with what its subtree gets.
void scatter_binomial(const Call& call, int member, MessageWriter& out) {
  const Tree tree = binomial_in_order(call.size, call.root, member);
  if (tree.parent >= 0) out.receive(tree.parent);
  for (auto child = tree.children.rbegin(); child != tree.children.rend(); ++child)
    out.send(*child, call.of_some(*child, binomial_in_order(call.size, call.root, *child).below));
}

/// The root sends to each in turn.
void scatter_linear(const Call& call, int member, MessageWriter& out) {
  if (member != call.root) return out.receive(call.root);
  for (int other = 0; other < call.size; ++other)
    if (other != call.root) out.send(other, call.of(other));
}

/// The root sends to all at once.
void scatter_linear_nb(const Call& call, int member, MessageWriter& out) {
  if (member != call.root) return out.receive(call.root);
  for (int other = 0; other < call.size; ++other)
    if (other != call.root) out.begin_send(other, call.of(other));
  out.wait_all();
}

/// The root sends in turn to each that gets something.
void scatterv_linear(const Call& call, int member, MessageWriter& out) {
  if (member != call.root) {
    if (call.of(member) > 0) out.receive(call.root);
    return;
  }
  for (int other = 0; other < call.size; ++other)
    if (other != call.root && call.of(other) > 0) out.send(other, call.of(other));
}

}  // namespace loadshare::timing_graph::collectives
