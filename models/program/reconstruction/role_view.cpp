#include "models/program/reconstruction/role_view.hpp"

#include <algorithm>

namespace loadshare::reconstruction {
namespace {

/// A loop's meeting stands where it ended, which is another call's place.
void collect_calls(const std::vector<PatternNode>& nodes, const MemberRank& member,
                   std::map<std::uint32_t, std::uint32_t>& calls) {
  for (const PatternNode& node : nodes) {
    collect_calls(node.body, member, calls);
    if (node.is_loop()) continue;
    for (const Meeting& met : member.meetings[node.number]) calls[met.position] = node.number;
  }
}

}  // namespace

BegunRequests::BegunRequests(const Role& role) {
  for (const MemberRank& member : role.members) follow(member, role.pattern);
}

std::set<std::uint32_t> BegunRequests::begun_for(std::uint32_t node) const {
  const auto found = begun_for_.find(node);
  return found == begun_for_.end() ? std::set<std::uint32_t>() : found->second;
}

void BegunRequests::follow(const MemberRank& member, const Pattern& pattern) {
  std::map<std::uint32_t, std::uint32_t> calls;  // by position
  collect_calls(pattern.nodes, member, calls);
  Walk walk;
  for (const auto& [position, node] : calls) {
    const Element& element = member.trace->elements[position];
    if (element.request != 0) {
      walk.begun_by[element.request] = node;
      ++walk.open[node];
    }
    if (element.kind == ElementKind::wait) complete(node, element, walk);
  }
}

void BegunRequests::complete(std::uint32_t node, const Element& wait, Walk& walk) {
  std::set<std::uint32_t> calls;
  for (const std::uint32_t request : wait.completes) {
    const auto begun = walk.begun_by.find(request);
    if (begun == walk.begun_by.end()) continue;
    --walk.open[begun->second];
    calls.insert(begun->second);
    walk.begun_by.erase(begun);
  }
  if (std::ranges::any_of(calls, [&](std::uint32_t call) { return walk.open[call] > 0; }))
    partial_.insert(node);
  begun_for_[node].merge(calls);
}

}  // namespace loadshare::reconstruction
