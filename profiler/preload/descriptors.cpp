#include "profiler/preload/descriptors.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace loadshare::profile {

namespace {

constexpr int high_descriptor = 500;

/// As the program is loaded, while it has one thread: to enlarge the table of descriptors later, the kernel
/// waits until every processor has seen that nobody reads the old one, which takes 10 ms and more.
[[gnu::constructor]] void make_room_for_descriptors() {
  close(fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, high_descriptor));
}

}  // namespace

int out_of_the_way(int file) {
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
