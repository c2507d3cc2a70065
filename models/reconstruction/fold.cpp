#include <algorithm>

#include "models/reconstruction/pattern.hpp"

namespace loadshare::reconstruction {

namespace {

constexpr std::size_t longest_body = 512;

/// Takes sites one by one, and folds what ends with them.
class Folder {
 public:
  void take(std::uint32_t site) {
    nodes_.push_back({site, {}, 0});
    while (fold_tail()) {
    }
  }

  std::vector<PatternNode> folded() { return std::move(nodes_); }

 private:
  bool fold_tail() {
    const std::size_t longest = std::min(longest_body, nodes_.size());
    for (std::size_t length = 1; length <= longest; ++length)
      if (joins_loop(length) || becomes_loop(length)) return true;
    return false;
  }

  auto tail(std::size_t length) { return nodes_.end() - static_cast<std::ptrdiff_t>(length); }

  /// Whether the last nodes are the body of the loop before them, once more.
  bool joins_loop(std::size_t length) {
    if (nodes_.size() <= length) return false;
    const PatternNode& loop = *(tail(length) - 1);
    if (loop.body.size() != length || !std::equal(loop.body.begin(), loop.body.end(), tail(length)))
      return false;
    nodes_.erase(tail(length), nodes_.end());
    return true;
  }

  /// Whether the last nodes repeat those before them.
  bool becomes_loop(std::size_t length) {
    if (nodes_.size() < 2 * length || !std::equal(tail(length), nodes_.end(), tail(2 * length))) return false;
    PatternNode loop{0, {tail(length), nodes_.end()}, 0};
    nodes_.erase(tail(2 * length), nodes_.end());
    nodes_.push_back(std::move(loop));
    return true;
  }

  std::vector<PatternNode> nodes_;
};

std::uint32_t number_nodes(std::vector<PatternNode>& nodes, std::uint32_t next) {
  for (PatternNode& node : nodes) {
    node.number = next++;
    next = number_nodes(node.body, next);
  }
  return next;
}

}  // namespace

Pattern fold(std::span<const std::uint32_t> sites) {
  Folder folder;
  for (const std::uint32_t site : sites) folder.take(site);
  Pattern pattern{folder.folded(), 0};
  pattern.size = number_nodes(pattern.nodes, 0);
  return pattern;
}

}  // namespace loadshare::reconstruction
