#include "runtime/profile/interpose/descriptors.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace loadshare::profile {

int out_of_the_way(int file) {
  constexpr int high_descriptor = 500;
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
