#pragma once

#include <filesystem>
#include <optional>

namespace loadshare {

/// Processor time that a control group grants, anew each period.
struct CpuLimit {
  double processors = 1;  ///< worth of time
  double period_s = 0.1;

  bool operator==(const CpuLimit&) const = default;
};

/// The limit of this process's control group, the least over the group and all above it; nothing where it is
/// not limited. Version 1 and version 2. `root` stands for "/" (tests make up another).
std::optional<CpuLimit> cgroup_cpu_limit(const std::filesystem::path& root = "/");

/// How many processors' worth of time that is.
std::optional<double> cgroup_cpu_quota(const std::filesystem::path& root = "/");

/// What each of so many ranks of this host may have of a processor, as far as a control group limits them:
/// in (0, 1].
double capacity_of_one(int ranks);

/// How often the kernel looks at what runs: 1 / CONFIG_HZ, as the resolution of its coarse clock tells; 4 ms
/// where that tells nothing that could be a tick. A control group that has used up its quota is stopped then.
double kernel_tick_s();

/// What a coarse clock's resolution tells of the tick.
double tick_told_by(double resolution_s);

}  // namespace loadshare
