#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <unordered_map>
#include <vector>

#include "models/program/reconstruction/observations.hpp"
#include "models/program/reconstruction/roles.hpp"
#include "models/program/reconstruction/rule.hpp"

namespace loadshare::reconstruction {

/// What the members of a role did at each node of its pattern. The role must outlive this.
class RoleView final {
 public:
  explicit RoleView(const Role& role) : role_(role) {}

  static const Element& element(const MemberRank& member, const Meeting& met) {
    return member.trace->elements[met.position];
  }

  /// An element met at `node`, for what they have in common; nothing where none was. Of a run on most ranks:
  /// those of a part may be all ranks in a smaller one.
  const Element* sample(std::uint32_t node) const {
    const MemberRank* best = nullptr;
    for (const MemberRank& member : role_.members) {
      if (member.meetings[node].empty()) continue;
      if (best == nullptr || member.run->traces.size() > best->run->traces.size()) best = &member;
    }
    return best == nullptr ? nullptr : &element(*best, best->meetings[node].front());
  }

  template <class Value>
  std::vector<Observed> observed(std::uint32_t node, Value value) const {
    return observed_where(
        node, [](const Meeting&) { return true; }, value);
  }

  template <class Condition, class Value>
  std::vector<Observed> observed_where(std::uint32_t node, Condition holds, Value value) const {
    std::vector<Observed> all;
    for_each_meeting(node, [&](const MemberRank& member, const Meeting& met) {
      if (holds(met)) all.push_back({member.run, member.trace->rank, value(element(member, met))});
    });
    return all;
  }

  template <class Number>
  std::vector<Observation> observations(std::uint32_t node, Number number) const {
    std::vector<Observation> all;
    for_each_meeting(node, [&](const MemberRank& member, const Meeting& met) {
      all.push_back({&member.run->setting, static_cast<double>(member.trace->rank), met.counters,
                     static_cast<double>(number(member, met))});
    });
    return all;
  }

 private:
  template <class Visit>
  void for_each_meeting(std::uint32_t node, Visit visit) const {
    for (const MemberRank& member : role_.members)
      for (const Meeting& met : member.meetings[node]) visit(member, met);
  }

  const Role& role_;
};

/// Which calls of a role's pattern begin what its waits complete. Timing graphs know requests by the name of
/// the call that began them, and a wait is for all of that name.
class BegunRequests final {
 public:
  explicit BegunRequests(const Role& role);

  /// The calls that began what the wait `node` completes; none where all of it was for nobody.
  std::set<std::uint32_t> begun_for(std::uint32_t node) const;

  /// Whether something that one of these calls began was still open behind the wait.
  bool leaves_some_open(std::uint32_t node) const { return partial_.contains(node); }

 private:
  /// One member's way through its trace.
  struct Walk {
    std::unordered_map<std::uint32_t, std::uint32_t> begun_by;  ///< call, by request
    std::map<std::uint32_t, int> open;                          ///< how many requests, by call
  };

  void follow(const MemberRank& member, const Pattern& pattern);
  void complete(std::uint32_t node, const Element& wait, Walk& walk);

  std::map<std::uint32_t, std::set<std::uint32_t>> begun_for_;  ///< by the wait's node
  std::set<std::uint32_t> partial_;
};

}  // namespace loadshare::reconstruction
