#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace loadshare::lab {

/// A workstation as a lab file describes it.
struct HostPlan {
  std::string name;
  double share = 1;  ///< of a processor; above 1 it takes several
  std::uint64_t link_bits_per_s = 0;

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

}  // namespace loadshare::lab
