#include "models/program/collectives/trees.hpp"

#include <algorithm>
#include <bit>

namespace loadshare::timing_graph::collectives {
namespace {

/// From a tree whose root is 0.
Tree moved(Tree tree, int size, int root) {
  const auto move = [&](int member) { return (member + root) % size; };
  if (tree.parent >= 0) tree.parent = move(tree.parent);
  std::ranges::transform(tree.children, tree.children.begin(), move);
  return tree;
}

int shifted(int size, int root, int member) {
  return (member - root + size) % size;
}

}  // namespace

int largest_power_of_two(int most) {
  return static_cast<int>(std::bit_floor(static_cast<unsigned>(most)));
}

Tree chain(int size, int root, int member) {
  const int self = shifted(size, root, member);
  Tree tree;
  tree.parent = self - 1;
  if (self + 1 < size) tree.children.push_back(self + 1);
  return moved(tree, size, root);
}

Tree binary(int size, int root, int member) {
  const int self = shifted(size, root, member);
  // The nodes of a level stand side by side, and so do those of a parent's level: children of a node are one
  // and two widths of its level away.
  const int width = largest_power_of_two(self + 1);
  Tree tree;
  for (const int child : {self + width, self + 2 * width})
    if (child < size) tree.children.push_back(child);
  if (self > 0) {
    const int above = width / 2;
    tree.parent = self - above >= 2 * above - 1 ? self - 2 * above : self - above;
  }
  return moved(tree, size, root);
}

Tree binomial(int size, int root, int member) {
  const int self = shifted(size, root, member);
  Tree tree;
  int mask = 1;
  while (mask <= self) mask <<= 1;
  if (self > 0) tree.parent = self ^ (mask >> 1);
  for (; self + mask < size; mask <<= 1) tree.children.push_back(self + mask);
  return moved(tree, size, root);
}

Tree binomial_in_order(int size, int root, int member) {
  const int self = shifted(size, root, member);
  Tree tree;
  int mask = 1;
  for (; mask < size && (self & mask) == 0; mask <<= 1)
    if (self + mask < size) tree.children.push_back(self + mask);
  if (self > 0) tree.parent = self ^ mask;
  tree.below = std::min(mask, size - self);
  return moved(tree, size, root);
}

Tree knomial(int size, int root, int member) {
  constexpr int radix = 4;
  const int self = shifted(size, root, member);
  Tree tree;
  int mask = 1;
  while (mask < size && self % (radix * mask) == 0) mask *= radix;
  if (mask < size) tree.parent = self / (radix * mask) * (radix * mask);
  for (mask /= radix; mask > 0; mask /= radix)
    for (int nth = 1; nth < radix; ++nth)
      if (self + nth * mask < size) tree.children.push_back(self + nth * mask);
  return moved(tree, size, root);
}

Folding::Folding(int size, int member, Taker taker)
    : member_(member), taker_(taker), paired_(largest_power_of_two(size)), extra_(size - paired_) {}

}  // namespace loadshare::timing_graph::collectives
