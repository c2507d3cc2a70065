#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace loadshare {

/// The kernel's control groups: in version 1 a hierarchy for each controller, in version 2 one for all.
enum class GroupVersion { v1 = 1, v2 = 2 };

/// The path of this process's control group in the hierarchy of version 2, or in that of version 1 for the
/// controller ("cpu", "memory"), as /proc/self/cgroup has it; nothing where it is in none. `root` stands for
/// "/" (tests make up another).
std::optional<std::string> own_control_group(GroupVersion version, std::string_view controller,
                                             const std::filesystem::path& root = "/");

/// Processor time that a control group grants, anew each period.
struct CpuLimit {
  double processors = 1;  ///< worth of time
  double period_s = 0.1;

  bool operator==(const CpuLimit&) const = default;
};

/// The limit of this process's control group, the least over the group and all above it; nothing where it is
/// not limited. Version 1 and version 2; `root` as above.
std::optional<CpuLimit> cgroup_cpu_limit(const std::filesystem::path& root = "/");

/// How many processors' worth of time that is; nothing where it is not limited.
std::optional<double> cgroup_cpu_quota(const std::filesystem::path& root = "/");

/// How many processes and threads this process's control group may have: the lowest limit of the group and of
/// all above it; nothing if there is none. `root` as above.
std::optional<std::uint64_t> cgroup_process_limit(const std::filesystem::path& root = "/");

/// What each of so many ranks of this host may have of a processor, as far as a control group limits them:
/// in (0, 1].
double capacity_of_one(int ranks);

/// How many threads of this process can compute at a time: the calling thread's processors, no more than the
/// process's control group grants; at least 1.
int granted_cores();
/// The same of so many processors under a quota.
int granted_of(double quota, int processors);

/// How many threads that never sleep fit on so many processors within the control group's quota: more are
/// stopped for the rest of each period, just when there is work. 0 under a quota below one processor.
int sustained_cores(int processors);

/// How often the kernel looks at what runs, 1 / CONFIG_HZ in seconds: a control group that has used up its
/// quota is stopped then. Taken from the resolution of the kernel's coarse clock.
double kernel_tick_s();

/// How often it is looked whether this process's group has used up its quota: at the kernel's ticks, or more
/// often where a lab sees to it, which says how often, in seconds, by this variable.
double quota_look_s();
inline constexpr const char* quota_look_variable = "LOADSHARE_QUOTA_LOOK_S";

/// The tick of a kernel whose coarse clock has this resolution; 4 ms where that cannot be one.
double tick_of_resolution(double resolution_s);

}  // namespace loadshare
