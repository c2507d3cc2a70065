#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/quantities.hpp"

namespace loadshare {

/// How much memory a process may still take, and what limits it.
struct AvailableMemory {
  Bytes bytes = too_many_bytes;  ///< too_many_bytes: nothing is known
  std::string limited_by;        ///< "on this host", "under the limit of cgroup /job7" or "under ulimit -v"
};

/// The least of what the host has available (MemAvailable) and what the memory limits of this process's
/// cgroup and those above it, version 1 or 2, and the limit of its own address space leave. Page cache that
/// can be dropped counts as available. `root` stands for "/" (tests create another).
AvailableMemory available_memory(const std::filesystem::path& root = "/");

/// Throws UsageError if `bytes` are not available: "`what` needs 894.1 GiB (22.9 GiB are available on this
/// host) `suggestion`". Call it before anything is allocated.
void require_memory(Bytes bytes, std::string_view what, std::string_view suggestion,
                    const std::filesystem::path& root = "/");

/// The same of a farm's data, which lie on the master's host; under MPI in shared memory, which is looked at,
/// too.
void require_farm_memory(Bytes bytes, const std::string& what, std::string_view suggestion);

/// The same for the file system of `directory`, which may be shared memory: "`what` needs ...".
void require_space(const std::string& directory, Bytes bytes, std::string_view what);

}  // namespace loadshare
