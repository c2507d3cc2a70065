#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/host/cgroup_quota.hpp"

namespace loadshare::lab {

/// A workstation as a lab file describes it.
struct HostPlan {
  std::string name;
  double share = 1;  ///< share of a processor; above 1 it uses several, 0 see is_free()
  std::uint64_t link_bits_per_s = 0;

  /// Whether the host has the processor time that no other program uses. Ranks of such hosts share a control
  /// group, in which a waiting rank can yield to another one (MPI's mpi_yield_when_idle); yielding does not
  /// reach across groups.
  bool is_free() const { return share == 0; }

  bool operator==(const HostPlan&) const = default;
};

/// A network of workstations as a lab file describes it: hosts that are connected to one switch.
struct LabPlan {
  static constexpr int schema = 1;
  static constexpr int least_quota_us = 1000;  ///< the kernel's minimum of a host's share of the period

  std::string name;
  int period_us = 10000;  ///< interval at which the share is renewed
  std::vector<HostPlan> hosts;
  /// The burst that an idle link may send, as time at the link's rate; default: 2 ms, at least 16 KiB.
  std::optional<int> burst_us = {};
  int turn_us = 500;  ///< interval of the checks whether a host has used up its share, see beat.hpp

  bool operator==(const LabPlan&) const = default;
};

/// Returns the burst of an idle link of that rate in bytes. Large bursts cost less processor time (longer
/// packets, fewer timers); a real link has none.
inline std::uint64_t burst_bytes_of(std::uint64_t bits_per_s, const LabPlan& plan) {
  constexpr std::uint64_t usual_burst_us = 2000;
  constexpr std::uint64_t least_usual_bytes = 16 * 1024;
  // Two frames, because with one the link would idle for the timer's delay after each.
  constexpr std::uint64_t least_bytes = 2 * 1518;
  const auto bytes_in = [bits_per_s](std::uint64_t us) { return bits_per_s / 8 * us / 1'000'000; };
  if (!plan.burst_us) return std::max(least_usual_bytes, bytes_in(usual_burst_us));
  return std::max(least_bytes, bytes_in(static_cast<std::uint64_t>(*plan.burst_us)));
}

/// A range of IPv4 addresses: those that equal `address` in the first `prefix` bits.
struct Subnet {
  std::uint32_t address = 0;  ///< the first address as a number: 10.0.0.1 is 0x0a000001
  int prefix = 24;

  bool operator==(const Subnet&) const = default;
};

bool overlap(const Subnet& a, const Subnet& b);

/// Returns "10.208.0.0/24".
std::string to_text(const Subnet& subnet);

/// Parses the text of to_text(); returns nothing for other text.
std::optional<Subnet> parse_subnet(std::string_view text);

/// Returns the address of the n-th machine in the range, counted from 1: "10.208.0.1".
std::string address_text(const Subnet& subnet, std::uint32_t n);

/// Parses the ranges in the kernel's table /proc/net/route, without the default route.
std::vector<Subnet> parse_routes(const std::string& table);

/// Returns the first of 10.208.0.0/24 to 10.223.255.0/24 that overlaps none of `taken`; nothing if all do.
std::optional<Subnet> free_subnet(std::span<const Subnet> taken);

/// The user of a lab that a person started. It stays up until a person takes it down.
inline constexpr const char* by_hand = "";

/// The place of a lab's control groups. `folder` is the lab's own group, with one for each host below it.
struct GroupPlace {
  GroupVersion version = GroupVersion::v1;
  std::filesystem::path folder;
};

/// The address and the processors of a host on this machine.
struct HostPlace {
  std::string address;
  std::vector<int> processors;
};

/// Everything needed to use a lab and to take it down. It is saved before anything is made, so that a lab can
/// be removed even if its maker was killed.
struct LabState {
  LabPlan plan;
  std::string file;                ///< the lab file that it was made from, for people
  bool is_up = false;              ///< false while it is being made or taken down
  std::vector<std::string> users;  ///< the users that requested it; by_hand stands for a person
  Subnet subnet;
  GroupPlace groups;
  std::vector<HostPlace> places;  ///< places[i] is that of plan.hosts[i]

  /// Returns the index of the host of this name. Throws UsageError if there is none.
  std::size_t host(const std::string& name) const;
};

std::string to_json(const LabState& state);

/// Parses the text of to_json(). Throws Error (run_failed), which names `path`, if it is not the state of a
/// lab.
LabState from_json(const std::string& text, const std::filesystem::path& path);

}  // namespace loadshare::lab
