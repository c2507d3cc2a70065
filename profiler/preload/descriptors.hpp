#pragma once

#include <sys/types.h>

namespace loadshare::profile {

/// Moves an open file to a high descriptor number, because some programs count on the low ones. Returns
/// `file` itself if no high number is free.
int moved_to_high_number(int file);

/// Identifies the file behind a descriptor. Programs close and reuse descriptors that are not theirs.
class FileIdentity final {
 public:
  /// Stores the identity of an open file. Returns false if the file cannot be examined.
  bool take(int file);
  bool is_of(int file) const;

 private:
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

}  // namespace loadshare::profile
