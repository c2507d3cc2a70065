#pragma once

#include <cstdint>
#include <vector>

#include "models/reconstruction/observations.hpp"
#include "models/reconstruction/roles.hpp"
#include "models/reconstruction/rule.hpp"

namespace loadshare::reconstruction {

/// What the players of a role did at each node of its pattern. The role must outlive this.
class RoleView final {
 public:
  explicit RoleView(const Role& role) : role_(role) {}

  static const Element& element(const Player& player, const Meeting& met) {
    return player.trace->elements[met.position];
  }

  /// Any element met at `node`, for what they have in common; nothing where none was.
  const Element* sample(std::uint32_t node) const {
    for (const Player& player : role_.players)
      if (!player.meetings[node].empty()) return &element(player, player.meetings[node].front());
    return nullptr;
  }

  template <class Value>
  std::vector<Observed> observed(std::uint32_t node, Value value) const {
    return observed_where(
        node, [](const Meeting&) { return true; }, value);
  }

  template <class Condition, class Value>
  std::vector<Observed> observed_where(std::uint32_t node, Condition holds, Value value) const {
    std::vector<Observed> all;
    for_each_meeting(node, [&](const Player& player, const Meeting& met) {
      if (holds(met)) all.push_back({player.run, player.trace->rank, value(element(player, met))});
    });
    return all;
  }

  template <class Number>
  std::vector<Sighting> sightings(std::uint32_t node, Number number) const {
    std::vector<Sighting> all;
    for_each_meeting(node, [&](const Player& player, const Meeting& met) {
      all.push_back({&player.run->setting, static_cast<double>(player.trace->rank), met.counters,
                     static_cast<double>(number(player, met))});
    });
    return all;
  }

 private:
  template <class Visit>
  void for_each_meeting(std::uint32_t node, Visit visit) const {
    for (const Player& player : role_.players)
      for (const Meeting& met : player.meetings[node]) visit(player, met);
  }

  const Role& role_;
};

}  // namespace loadshare::reconstruction
