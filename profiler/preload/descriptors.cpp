#include "profiler/preload/descriptors.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace loadshare::profile {

namespace {

constexpr int high_descriptor = 500;

/// Enlarges the table of descriptors while the program is loaded and has one thread. With several threads the
/// kernel waits until no processor reads the old table, which takes 10 ms or more.
[[gnu::constructor]] void make_room_for_descriptors() {
  close(fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, high_descriptor));
}

}  // namespace

int moved_to_high_number(int file) {
  if (file < 0) return file;
  const int moved = fcntl(file, F_DUPFD_CLOEXEC, high_descriptor);
  if (moved < 0) return file;
  close(file);
  return moved;
}

bool FileIdentity::take(int file) {
  struct stat info {};
  if (fstat(file, &info) != 0) return false;
  device_ = info.st_dev;
  inode_ = info.st_ino;
  return true;
}

bool FileIdentity::is_of(int file) const {
  struct stat info {};
  return fstat(file, &info) == 0 && info.st_dev == device_ && info.st_ino == inode_;
}

}  // namespace loadshare::profile
