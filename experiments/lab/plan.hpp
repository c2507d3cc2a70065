#pragma once

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

}  // namespace loadshare::lab
