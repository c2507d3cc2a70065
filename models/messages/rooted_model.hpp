#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "models/messages/curve.hpp"

namespace loadshare::communication {

/// When a member of a collective call leaves it: so long after its own begin, and so long after the last of
/// those that it waits for, whichever is later. Seconds.
struct MemberTime {
  std::vector<int> awaited;  ///< other members, counted from the root, in order; empty: it waits for nobody
  Estimate after_own;
  Estimate after_awaited;  ///< says nothing where nobody is awaited

  /// By when it and the last of those that it waits for have begun.
  double leaves_s(double own_s, double awaited_s) const;
};

/// One call with a root as it was measured: when each member, counted from the root, began and ended it, in
/// seconds on one time axis.
struct RootedSample {
  std::string call;
  double bytes = 0;
  std::vector<double> begun_s;
  std::vector<double> ended_s;
  std::size_t launch = 0;
};

/// Calls with a root (broadcast, reduce, gather, scatter), in which members leave one by one: some at once,
/// some when the root has come, some when those have of whom they get something. Who waits for whom depends
/// on the algorithm and on the size; it is learned from calls whose members came at different times on
/// purpose: of all sets of members that are found by leaving out or taking in one after the other, the
/// smallest whose last begin, and the member's own, tell its end (almost) best; of few calls, for all.
/// Members leave in relation to the root, so calls of another root are taken to be the same, turned.
class RootedModel final {
 public:
  /// Throws UsageError on negative bytes, and on ends before their begins.
  explicit RootedModel(std::span<const RootedSample> samples);

  /// By member, counted from the root; nothing of calls and numbers of members that were not measured.
  std::optional<std::vector<MemberTime>> times(const std::string& call, int members, double bytes) const;
  std::optional<SizeRange> measured_bytes(const std::string& call, int members) const;

 private:
  struct Member {
    std::map<double, std::vector<int>> awaited;  ///< by bytes
    Curve after_own;
    Curve after_awaited;
  };
  using Group = std::vector<Member>;

  static Member fit_member(int member, const std::map<double, std::vector<RootedSample>>& by_bytes);
  const Group* group_of(const std::string& call, int members) const;

  std::map<std::pair<std::string, int>, Group> groups_;  ///< by call and number of members
};

}  // namespace loadshare::communication
