#include "models/program/reconstruction/pattern.hpp"

#include <algorithm>

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

class Matcher {
 public:
  Matcher(const Pattern& pattern, std::span<const std::uint32_t> sites) : sites_(sites) {
    result_.meetings.resize(pattern.size);
  }

  Match matched(const Pattern& pattern) {
    if (!follow(pattern.nodes) || at_ != sites_.size()) result_.mismatch = Mismatch{furthest_};
    return std::move(result_);
  }

 private:
  bool follow(const std::vector<PatternNode>& nodes) {
    return std::ranges::all_of(nodes, [this](const PatternNode& node) { return follow(node); });
  }

  bool follow(const PatternNode& node) {
    if (node.is_loop()) return repeat(node);
    if (at_ == sites_.size() || sites_[at_] != node.site) return false;
    result_.meetings[node.number].push_back({at_, 0, counters_});
    furthest_ = std::max(furthest_, ++at_);
    return true;
  }

  /// A round that does not come to its end was none: what was met in it is forgotten.
  bool repeat(const PatternNode& loop) {
    const std::size_t depth = counters_.size();
    counters_.push_back(0);
    for (;;) {
      const std::uint32_t begin = at_;
      if (follow(loop.body) && at_ > begin) {
        ++counters_[depth];
        continue;
      }
      counters_.resize(depth + 1);
      forget_from(loop.body, begin);
      at_ = begin;
      break;
    }
    const std::uint32_t times = counters_.back();
    counters_.pop_back();
    result_.meetings[loop.number].push_back({at_, times, counters_});
    return true;
  }

  void forget_from(const std::vector<PatternNode>& nodes, std::uint32_t position) {
    for (const PatternNode& node : nodes) {
      std::vector<Meeting>& meetings = result_.meetings[node.number];
      while (!meetings.empty() && is_within(meetings.back(), node, position)) meetings.pop_back();
      forget_from(node.body, position);
    }
  }

  /// Whether a meeting belongs to the round that began at `position`, and was not finished. A loop may have
  /// been met there without a step.
  bool is_within(const Meeting& meeting, const PatternNode& node, std::uint32_t position) const {
    if (!node.is_loop()) return meeting.position >= position;
    return meeting.counters.size() >= counters_.size() &&
           std::equal(counters_.begin(), counters_.end(), meeting.counters.begin());
  }

  std::span<const std::uint32_t> sites_;
  std::uint32_t at_ = 0;
  std::uint32_t furthest_ = 0;
  std::vector<std::uint32_t> counters_;
  Match result_;
};

}  // namespace

Pattern fold(std::span<const std::uint32_t> sites) {
  Folder folder;
  for (const std::uint32_t site : sites) folder.take(site);
  Pattern pattern{folder.folded(), 0};
  pattern.size = number_nodes(pattern.nodes, 0);
  return pattern;
}

Match match(const Pattern& pattern, std::span<const std::uint32_t> sites) {
  return Matcher(pattern, sites).matched(pattern);
}

}  // namespace loadshare::reconstruction
