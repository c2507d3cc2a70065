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
  double share = 1;  ///< of a processor; above 1 it takes several, 0: see is_free()
  std::uint64_t link_bits_per_s = 0;

  /// It has what no other program uses of all processors. Ranks of such hosts are in one control group, in
  /// which who waits and yields (MPI's mpi_yield_when_idle) lets another one run; to other groups nobody
  /// yields.
  bool is_free() const { return share == 0; }

  bool operator==(const HostPlan&) const = default;
};

/// A network of workstations as a lab file describes it: hosts that hang on one switch.
struct LabPlan {
  static constexpr int schema = 1;
  static constexpr int least_quota_us =
      1000;  ///< the kernel's: a host's share of the period is at least this

  std::string name;
  int period_us = 10000;  ///< the share is granted anew this often
  std::vector<HostPlan> hosts;
  /// What a link that was silent may send at once, as the time it takes at the link's rate; nothing: 2 ms, or
  /// 16 KiB.
  std::optional<int> burst_us = {};
  int turn_us =
      500;  ///< how often it is looked whether a host has used up its share of a period: see beat.hpp

  bool operator==(const LabPlan&) const = default;
};

/// How many bytes a silent link of that rate sends at once. Large bursts are cheap: longer packets, fewer
/// timers; a real link has none.
inline std::uint64_t burst_bytes_of(std::uint64_t bits_per_s, const LabPlan& plan) {
  constexpr std::uint64_t usual_burst_us = 2000;
  constexpr std::uint64_t least_usual_bytes = 16 * 1024;
  // Two frames: with one the timer's delay after each would be lost.
  constexpr std::uint64_t least_bytes = 2 * 1518;
  const auto bytes_in = [bits_per_s](std::uint64_t us) { return bits_per_s / 8 * us / 1'000'000; };
  if (!plan.burst_us) return std::max(least_usual_bytes, bytes_in(usual_burst_us));
  return std::max(least_bytes, bytes_in(static_cast<std::uint64_t>(*plan.burst_us)));
}

/// A range of IPv4 addresses: those that agree with `address` in the first `prefix` bits.
struct Subnet {
  std::uint32_t address = 0;  ///< the first one, as a number: 10.0.0.1 is 0x0a000001
  int prefix = 24;

  bool operator==(const Subnet&) const = default;
};

bool overlap(const Subnet& a, const Subnet& b);

/// "10.208.0.0/24"
std::string to_text(const Subnet& subnet);

/// The inverse of to_text; nothing for other text.
std::optional<Subnet> parse_subnet(std::string_view text);

/// The address of the n-th machine in it, counted from 1: "10.208.0.1".
std::string address_text(const Subnet& subnet, std::uint32_t n);

/// The ranges in the kernel's table /proc/net/route, without the default route.
std::vector<Subnet> parse_routes(const std::string& table);

/// The first of 10.208.0.0/24 to 10.223.255.0/24 that overlaps none of those taken; nothing when all do.
std::optional<Subnet> free_subnet(std::span<const Subnet> taken);

/// The user of a lab that a person made: it stays until a person takes it down.
inline constexpr const char* by_hand = "";

/// Where a lab's control groups are: `folder` is the lab's own, with one for each host below.
struct GroupPlace {
  GroupVersion version = GroupVersion::v1;
  std::filesystem::path folder;
};

/// What a host was given on this machine.
struct HostPlace {
  std::string address;
  std::vector<int> processors;
};

/// Everything needed to use a lab and to take it down, even where the process that made it has been killed:
/// it is written before the first thing is made.
struct LabState {
  LabPlan plan;
  std::string file;                ///< the lab file it was made from, for people
  bool is_up = false;              ///< false while it is being made or taken down
  std::vector<std::string> users;  ///< who asked for it; by_hand: a person
  Subnet subnet;
  GroupPlace groups;
  std::vector<HostPlace> places;  ///< places[i] is that of plan.hosts[i]

  /// The index of the host of this name; throws UsageError where there is none.
  std::size_t host(const std::string& name) const;
};

std::string to_json(const LabState& state);

/// Throws Error (run_failed) where `text` is no lab's state; `path` is named then.
LabState from_json(const std::string& text, const std::filesystem::path& path);

}  // namespace loadshare::lab
