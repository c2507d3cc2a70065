#pragma once

#include <optional>
#include <string>

#include "base/io/descriptor.hpp"
#include "base/quantities.hpp"

namespace loadshare {

/// The file system where MPI keeps the memory that the ranks of a host share.
inline constexpr const char* shared_memory_folder = "/dev/shm";

/// A lock that keeps other runs of this host from changing their reservations in a folder's file system, from
/// the check of its free space until that space is taken. Best effort: it gives up waiting after some 30 s.
class FolderLock {
 public:
  explicit FolderLock(const std::string& folder);

 private:
  Descriptor folder_;  // its lock ends with it, or with the process
};

/// Returns the free bytes of a folder's file system, or nothing if they are unknown; then `errno` has the
/// reason.
std::optional<Bytes> free_bytes(const std::string& folder);

/// Room in a file system that this process reserves for files that MPI, for example, will make there. A check
/// of the free space is not enough, because runs that start together all see the same space. The reservation
/// is a file without a name, which ends with the process.
class RoomReservation {
 public:
  explicit RoomReservation(std::string folder) : folder_(std::move(folder)) {}

  /// Holds `bytes` in place of what it held. Returns false if there is no room for them; then it holds
  /// nothing. If the file system cannot reserve, only the free space counts.
  bool hold(Bytes bytes);
  /// Gives back `bytes`, or all that it holds if that is less.
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

/// The most that MPI and the farm take in addition to the data: MPI's own messages, whole pages, the loop's
/// state.
inline constexpr Bytes bytes_beside_windows = Bytes{1} << 20;

/// This process's reservation in shared_memory_folder for the windows that its run will make. The master
/// reserves the room of its data before any rank takes memory, and gives back the bytes of each window just
/// before it is made.
RoomReservation& room_for_windows();

}  // namespace loadshare
