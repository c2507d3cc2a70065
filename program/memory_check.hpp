#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/quantities.hpp"
#include "runtime/host/shared_room.hpp"

namespace loadshare {

/// Memory that a process can still allocate, and what limits it.
struct AvailableMemory {
  Bytes bytes = too_many_bytes;  ///< too_many_bytes: unknown
  std::string limited_by;        ///< "on this host", "under the limit of cgroup /job7" or "under ulimit -v"
};

/// Returns the smallest of three amounts: the host's available memory (MemAvailable), the rest under the
/// limits of this process's cgroup (version 1 or 2) and those above it, and the rest of its address space.
/// Page cache that can be dropped counts as available. `root` replaces "/" in tests.
AvailableMemory available_memory(const std::filesystem::path& root = "/");

/// Throws UsageError if `bytes` are not available: "`what` needs 894.1 GiB (22.9 GiB are available on this
/// host) `suggestion`". Call it before anything is allocated.
void require_memory(Bytes bytes, std::string_view what, std::string_view suggestion,
                    const std::filesystem::path& root = "/");

/// Checks the memory for a farm's data, which are on the master's host. Under MPI they are in shared memory,
/// whose space is reserved so that no other run takes it before this run's windows are made.
void require_farm_memory(Bytes bytes, const std::string& what, std::string_view suggestion);

/// Reserves `bytes`, or throws UsageError: "`what` needs ...".
void reserve_space(RoomReservation& room, Bytes bytes, std::string_view what);

}  // namespace loadshare
