#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <unordered_map>

#include "models/reconstruction/roles.hpp"

namespace loadshare::reconstruction {

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
  /// One player's way through its trace.
  struct Walk {
    std::unordered_map<std::uint32_t, std::uint32_t> begun_by;  ///< call, by request
    std::map<std::uint32_t, int> open;                          ///< how many requests, by call
  };

  void follow(const Player& player, const Pattern& pattern);
  void complete(std::uint32_t node, const Element& wait, Walk& walk);

  std::map<std::uint32_t, std::set<std::uint32_t>> begun_for_;  ///< by the wait's node
  std::set<std::uint32_t> partial_;
};

}  // namespace loadshare::reconstruction
