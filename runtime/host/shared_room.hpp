#pragma once

#include <optional>
#include <string>

#include "base/io/descriptor.hpp"
#include "base/quantities.hpp"

namespace loadshare {

/// The folder of the file system in which MPI keeps the shared memory of a host's ranks.
inline constexpr const char* shared_memory_folder = "/dev/shm";

/// A lock that keeps other runs of this host from changing their reservations in a folder's file system. It
/// is held from the check of the free space until that space is taken. Best effort: it waits for some 30 s at
/// most, and continues without the lock.
class FolderLock {
 public:
  explicit FolderLock(const std::string& folder);

 private:
  Descriptor folder_;  // closing it, or the end of the process, releases the lock
};

/// Returns the free bytes of a folder's file system, or nothing if they are unknown; then `errno` has the
/// reason.
std::optional<Bytes> free_bytes(const std::string& folder);

/// Space in a file system that this process reserves for files that others, such as MPI, will create there.
/// Checking the free space is not enough, because runs that start together all see the same space. The
/// reservation is an unnamed file, which ends with the process.
class RoomReservation {
 public:
  explicit RoomReservation(std::string folder) : folder_(std::move(folder)) {}

  /// Replaces the reservation by one of `bytes`. Returns false if there is no room; then nothing is reserved.
  /// On file systems that cannot reserve, it only checks the free space.
  bool hold(Bytes bytes);
  /// Releases `bytes`, or the whole reservation if that is less.
  void give_back(Bytes bytes);
  const std::string& folder() const { return folder_; }

 private:
  std::string folder_;
  Descriptor file_;
  Bytes held_ = 0;
};

/// Error text: why a folder has no room, and what to do.
std::string free_text(const std::string& folder);
inline constexpr const char* more_room =
    "wait until other runs have ended, or enlarge it: mount -o remount,size=1G /dev/shm, or docker run "
    "--shm-size=1g";

/// An upper bound of the memory that MPI and the farm use besides the data: MPI's messages, partly used
/// pages, the loop's state.
inline constexpr Bytes overhead_bytes = Bytes{1} << 20;

/// Returns this process's reservation in shared_memory_folder for the windows of its run. The master reserves
/// the space of its data before any rank allocates memory. It releases the bytes of each window just before
/// the window is created.
RoomReservation& room_for_windows();

}  // namespace loadshare
