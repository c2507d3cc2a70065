#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "models/efficiency/waiting/calls.hpp"

namespace loadshare::waiting {

/// Where the ranks of MPI_COMM_WORLD stand in a profile, in which some may be missing.
class Ranks {
 public:
  explicit Ranks(const profile::Profile& profile) {
    for (std::uint32_t at = 0; at < profile.ranks.size(); ++at) {
      const auto rank = static_cast<std::size_t>(profile.ranks[at].rank);
      if (rank >= position_.size()) position_.resize(rank + 1, EventId::none);
      position_[rank] = at;
    }
  }

  /// EventId::none where it is missing.
  std::uint32_t position(std::int32_t rank) const {
    const auto index = static_cast<std::size_t>(rank);
    return rank >= 0 && index < position_.size() ? position_[index] : EventId::none;
  }

 private:
  std::vector<std::uint32_t> position_;
};

/// Whether calls of this kind count among their communicator's operations.
bool is_collective(profile::CallKind kind);

/// One member's call of a collective operation.
struct Arrival {
  EventId call;
  std::int64_t begin_ns = 0;
  std::int64_t latest_before_ns = 0;  ///< when the last of the members before it in the communicator came
  std::uint32_t operation = 0;
  /// Of a neighbourhood collective: when the last of those came whose data it waits for; nothing: not known.
  std::optional<std::int64_t> latest_source_ns{};
};

/// One collective operation: the calls of those members whose calls are in the profile.
struct Operation {
  std::span<const Arrival> arrivals;  ///< in the communicator's order
  std::int64_t latest_ns = 0;         ///< when the last of them came
  const Arrival* root = nullptr;      ///< nothing where there is none, or its call is not in the profile
};

/// The collective operations of a run: the n-th call of each member on a communicator belongs to its n-th
/// operation, as MPI demands; those on windows count apart, and so does the call that made a group. Where
/// other threads of a member called MPI, which may have been among these calls, nothing is matched. Linear in
/// the events. The profile must outlive it.
class Collectives {
 public:
  explicit Collectives(const profile::Profile& profile);
  Collectives(const Collectives&) = delete;  // operations point into the arrivals
  Collectives& operator=(const Collectives&) = delete;

  /// What this call came to; nothing where the call is no collective, its communicator's members are not
  /// known (as of intercommunicators), or not all their calls.
  const Arrival* arrival(EventId call) const;

  const Operation& operation(const Arrival& arrival) const { return operations_[arrival.operation]; }

  const std::vector<Operation>& operations() const { return operations_; }

  std::size_t count() const { return operations_.size(); }

  /// Communicators whose members' n-th calls were not the same function: the profile lacks calls, and nothing
  /// is matched from there on.
  std::uint64_t contradictions() const { return contradictions_; }

 private:
  using Calls = std::unordered_map<std::uint32_t, std::vector<std::uint32_t>>;  ///< events by sequence

  bool are_all_recorded(const std::vector<int>& members, const Ranks& ranks) const;
  Calls calls_of(std::uint32_t rank) const;
  void match_sequence(std::uint32_t sequence, const std::vector<int>& members, const Ranks& ranks,
                      const std::vector<Calls>& calls);
  bool add_operation(const std::vector<EventId>& calls);
  void finish_operations();
  void find_sources(std::span<Arrival> arrivals) const;

  const profile::Profile& profile_;
  std::vector<Arrival> arrivals_;
  std::vector<Operation> operations_;
  std::vector<std::size_t> first_arrivals_;             ///< of each operation
  std::vector<std::vector<std::uint32_t>> arrival_of_;  ///< by rank and event
  std::uint64_t contradictions_ = 0;
};

}  // namespace loadshare::waiting
