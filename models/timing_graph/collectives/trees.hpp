#pragma once

#include <vector>

#include "models/timing_graph/collectives/message_writer.hpp"

namespace loadshare::timing_graph::collectives {

/// A member's place in a tree of all members.
struct Tree {
  int parent = -1;  ///< -1: it is the root
  std::vector<int> children;
  int below = 1;  ///< members of its subtree, itself included (of binomial_in_order)
};

Tree chain(int size, int root, int member);
Tree binary(int size, int root, int member);
/// Children at distances 2^k beyond the member's own highest bit.
Tree binomial(int size, int root, int member);
/// Children at distances below the member's own lowest bit: a subtree is a run of members.
Tree binomial_in_order(int size, int root, int member);
Tree knomial(int size, int root, int member, int radix);

void broadcast_along(const Tree& tree, double bytes, MessageWriter& out);
/// Two receives are open at a time: while one child's part is reduced, the next may come.
void reduce_along(const Tree& tree, double bytes, MessageWriter& out);

int largest_power_of_two(int most);

}  // namespace loadshare::timing_graph::collectives
