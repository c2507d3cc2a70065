#include "program/memory_check.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <optional>

#include "base/error.hpp"
#include "base/io/error_text.hpp"
#include "base/io/files.hpp"
#include "runtime/farm/program.hpp"
#include "runtime/host/cgroup_quota.hpp"

namespace loadshare {
namespace {

namespace fs = std::filesystem;

/// Names of the files in a cgroup's directory, for one version.
struct CgroupFiles {
  const char* limit;
  const char* usage;
  const char* reclaimable;  // key in memory.stat
};
constexpr CgroupFiles version_1 = {"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"};
constexpr CgroupFiles version_2 = {"memory.max", "memory.current", "inactive_file"};

/// Reads the number after `key` in a file of lines `key number`. An empty key reads the file's first word.
std::optional<Bytes> read_number(const fs::path& path, std::string_view key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(key)) continue;
    const std::string_view rest = std::string_view(line).substr(key.size());
    if (!key.empty() && !rest.starts_with(' ') && !rest.starts_with(':')) continue;
    const std::size_t digits = line.find_first_of("0123456789", key.size());
    if (digits == line.npos) return {};  // "max": no limit
    return std::strtoull(line.c_str() + digits, nullptr, 10);
  }
  return {};
}

void take_less(AvailableMemory& result, Bytes bytes, std::string_view limited_by) {
  if (bytes >= result.bytes) return;
  result.bytes = bytes;
  result.limited_by = limited_by;
}

void look_at_cgroup(const fs::path& directory, const std::string& name, const CgroupFiles& files,
                    AvailableMemory& result) {
  const auto limit = read_number(directory / files.limit, {});
  const auto usage = read_number(directory / files.usage, {});
  if (!limit || !usage) return;
  const Bytes cache = std::min(*usage, read_number(directory / "memory.stat", files.reclaimable).value_or(0));
  const Bytes used = *usage - cache;
  take_less(result, *limit > used ? *limit - used : 0, "under the limit of cgroup " + name);
}

/// Considers the rest of `ulimit -v`, which is unknown if `root` is not the real one.
void look_at_address_space(const fs::path& root, AvailableMemory& result) {
  rlimit limit{};
  const auto used = read_number(root / "proc/self/status", "VmSize");
  if (root != "/" || !used || getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
  const Bytes used_bytes = *used * 1024;
  take_less(result, limit.rlim_cur > used_bytes ? limit.rlim_cur - used_bytes : 0, "under ulimit -v");
}

/// Considers the limits of the cgroup and those above it. Inside a container the path may be the host's, and
/// only the root exists.
void look_at_cgroups(const fs::path& mount, fs::path path, const CgroupFiles& files,
                     AvailableMemory& result) {
  for (;; path = path.parent_path()) {
    look_at_cgroup(mount / path.relative_path(), path, files, result);
    if (!path.has_relative_path()) return;
  }
}

}  // namespace

AvailableMemory available_memory(const fs::path& root) {
  AvailableMemory result;
  if (const auto kilobytes = read_number(root / "proc/meminfo", "MemAvailable"))
    take_less(result, *kilobytes * 1024, "on this host");
  const fs::path mount = root / "sys/fs/cgroup";
  if (const auto path = own_control_group(GroupVersion::v2, "memory", root))
    look_at_cgroups(mount, *path, version_2, result);
  if (const auto path = own_control_group(GroupVersion::v1, "memory", root))
    look_at_cgroups(mount / "memory", *path, version_1, result);
  look_at_address_space(root, result);
  return result;
}

void require_memory(Bytes bytes, std::string_view what, std::string_view suggestion, const fs::path& root) {
  const AvailableMemory available = available_memory(root);
  if (bytes <= available.bytes && bytes != too_many_bytes) return;
  const std::string there =
      available.bytes == too_many_bytes
          ? "no machine has that"
          : fmt::format("{} are available {}", human_bytes(available.bytes), available.limited_by);
  throw UsageError(fmt::format("{} needs {} of memory", what, human_bytes(bytes)), there, suggestion);
}

void reserve_space(RoomReservation& room, Bytes bytes, std::string_view what) {
  const std::string problem = fmt::format("{} needs {} in {}", what, human_bytes(bytes), room.folder());
  if (!free_bytes(room.folder())) throw UsageError(problem, error_text(errno));
  if (!room.hold(bytes)) throw UsageError(problem, free_text(room.folder()), more_room);
}

// Under MPI the data are in shared-memory windows.
void require_farm_memory(Bytes bytes, const std::string& what, std::string_view suggestion) {
  require_memory(bytes, what, suggestion);
  if (!detect_launch().is_mpi) return;
  reserve_space(room_for_windows(), add_bytes(bytes, overhead_bytes), what);
}

}  // namespace loadshare
