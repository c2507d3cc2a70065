#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "models/efficiency/waiting/calls.hpp"
#include "models/efficiency/waiting/collectives.hpp"

namespace loadshare::waiting {

/// What one-sided calls wait for whose target makes no call of its own (locks, flushes, and what they put
/// and get): until others give the lock back, and until the target comes into MPI, where the transport needs
/// its processor. On a window on which one of them is seen ending while its target stayed outside MPI all
/// the time, none needs it; what accumulates goes other ways than what puts and gets, and is judged apart.
/// These are Scalasca's patterns "lock contention" and "wait for progress" (Hermanns et al., "Understanding
/// the formation of wait states in applications with one-sided communication", EuroMPI 2013). A transport
/// that takes a lock with the first transfer, or with the unlock, is followed: each of these calls counts up
/// to where it ended after the other's unlock. Grows with the events as n log n.
class PassiveTargets {
 public:
  explicit PassiveTargets(const profile::Profile& profile);

  /// Whether this call is made under a lock, or is that lock.
  bool is_passive(EventId call) const { return find(call) != nullptr; }

  /// When the last of those began to give the lock back who kept this call; nothing where nobody did.
  std::optional<std::int64_t> held_until_ns(EventId call) const;

  /// When the last of the targets came into MPI that kept this call; nothing where none did.
  std::optional<std::int64_t> entered_ns(EventId call) const;

 private:
  static constexpr std::int32_t everybody = -1;
  using Target = std::pair<std::uint32_t, std::int32_t>;  ///< window, rank of MPI_COMM_WORLD

  /// From a lock to its unlock.
  struct Hold {
    std::uint32_t rank = 0;
    bool is_exclusive = false;
    std::int64_t release_ns = 0;  ///< the unlock began
    std::int64_t released_ns = 0;
  };
  /// A call under a lock, or the lock.
  struct Use {
    EventId call;
    std::uint32_t window = 0;
    bool is_exclusive = false;
    bool is_lock = false;
    bool completes = false;             ///< transfers, at their targets
    bool accumulates = false;           ///< it, or one of those transfers
    std::int32_t locked = everybody;    ///< whose lock it is
    std::vector<std::int32_t> targets;  ///< whose processor it may need
  };
  struct Found {
    std::optional<std::int64_t> held_until_ns;
    std::optional<std::int64_t> entered_ns;
  };
  class Collector;

  bool needs_no_target(const Use& use) const;
  std::optional<std::int64_t> release_before(const Use& use) const;
  std::optional<std::int64_t> entry_before(const Use& use) const;
  const Found* find(EventId call) const;

  const profile::Profile& profile_;
  Ranks ranks_;
  std::map<Target, std::vector<Hold>> holds_;             ///< in the order of their releases
  std::set<std::pair<std::uint32_t, bool>> independent_;  ///< windows that need no target, by `accumulates`
  std::vector<std::unordered_map<std::uint32_t, Found>> found_;  ///< by rank and event
};

}  // namespace loadshare::waiting
