#include "runtime/host/shared_room.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <thread>

#include "base/io/file_lock.hpp"
#include "runtime/host/clock.hpp"

namespace loadshare {
namespace {

/// Allocates the pages of a file's first bytes. Returns 0 or an error number.
int take_pages(int file, Bytes bytes) {
  int error = 0;
  do error = ::fallocate(file, 0, 0, static_cast<off_t>(bytes)) == 0 ? 0 : errno;
  while (error == EINTR);
  return error;
}

}  // namespace

FolderLock::FolderLock(const std::string& folder)
    : folder_(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  constexpr double longest_s = 30;
  constexpr std::chrono::milliseconds look_again{2};
  for (const double end_s = monotonic_s() + longest_s;
       lock_file(folder_.number(), LockWait::no) == EWOULDBLOCK && monotonic_s() < end_s;)
    std::this_thread::sleep_for(look_again);
}

std::optional<Bytes> free_bytes(const std::string& folder) {
  struct statvfs status {};
  if (::statvfs(folder.c_str(), &status) != 0) return std::nullopt;
  return static_cast<Bytes>(status.f_bavail) * status.f_frsize;
}

std::string free_text(const std::string& folder) {
  return fmt::format("{} are free there", human_bytes(free_bytes(folder).value_or(0)));
}

bool RoomReservation::hold(Bytes bytes) {
  const FolderLock lock(folder_);
  file_.close();
  held_ = 0;
  if (bytes > free_bytes(folder_).value_or(bytes)) return false;
  Descriptor file(open(folder_.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  const int error = file.number() < 0 ? EOPNOTSUPP : take_pages(file.number(), bytes);
  if (error == ENOSPC) return false;
  if (error != 0) return true;  // the space is free, though it cannot be reserved
  file_ = std::move(file);
  held_ = bytes;
  return true;
}

void RoomReservation::give_back(Bytes bytes) {
  if (held_ == 0) return;
  held_ -= std::min(held_, bytes);
  (void)!ftruncate(file_.number(), static_cast<off_t>(held_));
  if (held_ == 0) file_.close();
}

RoomReservation& room_for_windows() {
  static RoomReservation room(shared_memory_folder);
  return room;
}

}  // namespace loadshare
