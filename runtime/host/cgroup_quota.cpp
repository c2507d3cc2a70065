#include "runtime/host/cgroup_quota.hpp"

#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "base/io/system_file.hpp"
#include "base/quantities.hpp"
#include "runtime/host/scheduling.hpp"

namespace loadshare {
namespace {

namespace fs = std::filesystem;

/// Reads the limit of a version 2 group: `150000 100000` or `max 100000`.
std::optional<CpuLimit> limit_v2(const fs::path& group) {
  std::ifstream file = system_file(group / "cpu.max");
  double quota_us = 0;
  double period_us = 0;
  if (!(file >> quota_us >> period_us) || period_us <= 0) return std::nullopt;
  return CpuLimit{quota_us / period_us, period_us / 1e6};
}

/// Reads the limit of a version 1 group, which is in two files; a quota of -1 means none.
std::optional<CpuLimit> limit_v1(const fs::path& group) {
  double quota_us = 0;
  double period_us = 0;
  if (!(system_file(group / "cpu.cfs_quota_us") >> quota_us) || quota_us <= 0) return std::nullopt;
  if (!(system_file(group / "cpu.cfs_period_us") >> period_us) || period_us <= 0) return std::nullopt;
  return CpuLimit{quota_us / period_us, period_us / 1e6};
}

void take_less(std::optional<CpuLimit>& least, const std::optional<CpuLimit>& limit) {
  if (limit && (!least || limit->processors < least->processors)) least = limit;
}

/// Returns the lowest limit of the group `path` below `mount` and of its ancestors.
template <typename Limit>
std::optional<CpuLimit> least_limit(const fs::path& mount, const fs::path& path, Limit limit_of) {
  fs::path group = mount;
  std::optional<CpuLimit> least = limit_of(group);
  for (const fs::path& part : path.relative_path()) take_less(least, limit_of(group /= part));
  return least;
}

bool has_controller(const std::string& controllers, std::string_view wanted) {
  std::istringstream list(controllers);
  for (std::string one; std::getline(list, one, ',');)
    if (one == wanted) return true;
  return false;
}

constexpr double usual_tick_s = 4e-3;
constexpr double least_tick_s = 0.5e-3;  // kernels are built for 100 to 1000 Hz
constexpr double most_tick_s = 20e-3;

}  // namespace

std::optional<std::string> own_control_group(GroupVersion version, std::string_view controller,
                                             const fs::path& root) {
  std::ifstream file(root / "proc/self/cgroup");  // lines of `0::PATH`, or of `4:cpu,cpuacct:PATH`
  for (std::string number, controllers, path;
       std::getline(file, number, ':') && std::getline(file, controllers, ':') && std::getline(file, path);)
    if (version == GroupVersion::v2 ? controllers.empty() : has_controller(controllers, controller))
      return path;
  return std::nullopt;
}

std::optional<CpuLimit> cgroup_cpu_limit(const fs::path& root) {
  const fs::path mount = root / "sys/fs/cgroup";
  std::optional<CpuLimit> least;
  if (const auto path = own_control_group(GroupVersion::v2, "cpu", root))
    least = least_limit(mount, *path, limit_v2);
  if (const auto path = own_control_group(GroupVersion::v1, "cpu", root))
    take_less(least, least_limit(mount / "cpu", *path, limit_v1));
  return least;
}

std::optional<double> cgroup_cpu_quota(const fs::path& root) {
  const std::optional<CpuLimit> limit = cgroup_cpu_limit(root);
  return limit ? std::optional(limit->processors) : std::nullopt;
}

std::optional<std::uint64_t> cgroup_process_limit(const fs::path& root) {
  std::optional<std::uint64_t> least;
  const auto take = [&least](const fs::path& group) {
    std::uint64_t limit = 0;
    const bool is_limited =
        static_cast<bool>(system_file(group / "pids.max") >> limit);  // otherwise it is "max"
    if (is_limited && (!least || limit < *least)) least = limit;
  };
  const auto look = [&](GroupVersion version, fs::path group) {
    const auto path = own_control_group(version, "pids", root);
    if (!path) return;
    take(group);
    for (const fs::path& part : fs::path(*path).relative_path()) take(group /= part);
  };
  look(GroupVersion::v2, root / "sys/fs/cgroup");
  look(GroupVersion::v1, root / "sys/fs/cgroup/pids");
  return least;
}

double capacity_of_one(int ranks) {
  const std::optional<double> quota = cgroup_cpu_quota();
  return quota ? std::min(1.0, *quota / std::max(1, ranks)) : 1.0;
}

int granted_of(double quota, int processors) {
  return static_cast<int>(std::clamp(std::ceil(quota), 1.0, static_cast<double>(std::max(1, processors))));
}

int granted_cores() {
  const int allowed = allowed_cores();
  return granted_of(cgroup_cpu_quota().value_or(allowed), allowed);
}

int sustained_cores(int processors) {
  return static_cast<int>(std::min<double>(cgroup_cpu_quota().value_or(processors), processors));
}

double tick_of_resolution(double resolution_s) {
  const bool is_tick = resolution_s >= least_tick_s && resolution_s <= most_tick_s;
  return is_tick ? resolution_s : usual_tick_s;
}

double kernel_tick_s() {
  timespec resolution{};
  if (clock_getres(CLOCK_MONOTONIC_COARSE, &resolution) != 0) return usual_tick_s;
  return tick_of_resolution(static_cast<double>(resolution.tv_sec) +
                            1e-9 * static_cast<double>(resolution.tv_nsec));
}

double quota_look_s() {
  const char* given = std::getenv(quota_look_variable);
  const std::optional<double> look_s = given ? parse_number(given) : std::nullopt;
  return look_s && *look_s > 0 ? std::min(*look_s, kernel_tick_s()) : kernel_tick_s();
}

}  // namespace loadshare
