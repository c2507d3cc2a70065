#pragma once

#include <sys/types.h>

namespace loadshare::profile {

/// The file under a descriptor out of the way of programs that count on the low ones; `file` itself where
/// there is none left.
int out_of_the_way(int file);

/// Which file a descriptor was opened for: programs close and reuse descriptors that are not theirs.
class FileIdentity final {
 public:
  /// Of an open file; false where it cannot be told.
  bool take(int file);
  bool is_of(int file) const;

 private:
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

}  // namespace loadshare::profile
