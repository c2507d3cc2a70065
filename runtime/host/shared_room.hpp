#pragma once

#include <optional>
#include <string>

#include "base/io/descriptor.hpp"
#include "base/quantities.hpp"

namespace loadshare {

/// The file system where MPI keeps the memory that the ranks of a host share.
inline constexpr const char* shared_memory_folder = "/dev/shm";

/// Keeps other runs of this host from changing what they hold of a folder's file system, between a look at
/// its free space and the moment at which that space is taken. Best effort: after some 30 s it goes on
/// without.
class FolderLock {
 public:
  explicit FolderLock(const std::string& folder);

 private:
  Descriptor folder_;  // its lock ends with it, or with the process
};

/// Bytes that are free in a folder's file system; nothing: that is not known. `errno` says why.
std::optional<Bytes> free_bytes(const std::string& folder);

/// Room in a file system that this process holds for files that others, such as MPI, are going to make there.
/// A look at the free space is no promise, because runs that start together all see the same space. Held are
/// the pages of a file without a name, which ends with the process.
class RoomReservation {
 public:
  explicit RoomReservation(std::string folder) : folder_(std::move(folder)) {}

  /// Holds `bytes` in place of what it held. Returns false if there is no room for them; then it holds
  /// nothing. If the file system cannot reserve, only the free space counts.
  bool hold(Bytes bytes);
  /// Gives back so many of its bytes, or all that it has.
  void give_back(Bytes bytes);
  const std::string& folder() const { return folder_; }

 private:
  std::string folder_;
  Descriptor file_;
  Bytes held_ = 0;
};

/// Why a folder has no room, and what helps, for error messages.
std::string free_text(const std::string& folder);
inline constexpr const char* more_room =
    "wait until other runs have ended, or enlarge it: mount -o remount,size=1G /dev/shm, or docker run "
    "--shm-size=1g";

/// What MPI and the farm take beside the data, at most: MPI's own messages, whole pages, the loop's words.
inline constexpr Bytes bytes_beside_windows = Bytes{1} << 20;

/// What this process holds in shared_memory_folder for the windows that its run is going to make. The master
/// holds what its data need before any rank takes memory, and gives back the bytes of each window just before
/// it is made.
RoomReservation& room_for_windows();

}  // namespace loadshare
