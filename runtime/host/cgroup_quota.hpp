#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace loadshare {

/// A version of the kernel's control groups. Version 1 has a hierarchy per controller, version 2 has one for
/// all.
enum class GroupVersion { v1 = 1, v2 = 2 };

/// Returns the path of this process's control group from /proc/self/cgroup: in the hierarchy of version 2, or
/// in that of version 1 for the controller ("cpu", "memory"). Returns nothing if it is in none. Tests pass
/// another `root` than "/".
std::optional<std::string> own_control_group(GroupVersion version, std::string_view controller,
                                             const std::filesystem::path& root = "/");

/// The processor time that a control group grants in each period.
struct CpuLimit {
  double processors = 1;  ///< processor time per wall time
  double period_s = 0.1;

  bool operator==(const CpuLimit&) const = default;
};

/// Returns the limit of this process's control group: the lowest of the group and its ancestors, in versions
/// 1 and 2. Returns nothing if there is no limit. `root` as above.
std::optional<CpuLimit> cgroup_cpu_limit(const std::filesystem::path& root = "/");

/// Returns that limit in processors; nothing if there is no limit.
std::optional<double> cgroup_cpu_quota(const std::filesystem::path& root = "/");

/// Returns how many processes and threads this process's control group may have: the lowest limit of the
/// group and its ancestors. Returns nothing if there is no limit. `root` as above.
std::optional<std::uint64_t> cgroup_process_limit(const std::filesystem::path& root = "/");

/// Returns the part of a processor, in (0, 1], that a control group's limit leaves each of `ranks` ranks of
/// this host.
double capacity_of_one(int ranks);

/// Returns how many threads of this process can compute at the same time, at least 1. It is the number of the
/// calling thread's processors, limited to what the control group grants.
int granted_cores();
/// Returns the same for this number of processors and this quota.
int granted_of(double quota, int processors);

/// Returns how many threads that never sleep fit on this number of processors within the control group's
/// quota. With more threads the kernel stops the group for the rest of each period, even if there is work.
/// Returns 0 if the quota is below one processor.
int sustained_cores(int processors);

/// Returns the period of the kernel's tick, 1 / CONFIG_HZ in seconds. At a tick the kernel stops a control
/// group that has used up its quota. The value is the resolution of the kernel's coarse clock.
double kernel_tick_s();

/// Returns the period, in seconds, in which this process's group is checked against its quota. That is the
/// kernel's tick, unless a lab checks more often and states its period in this variable.
double quota_look_s();
inline constexpr const char* quota_look_variable = "LOADSHARE_QUOTA_LOOK_S";

/// Returns the tick for a coarse clock of this resolution; 4 ms if the resolution cannot be a tick.
double tick_of_resolution(double resolution_s);

}  // namespace loadshare
