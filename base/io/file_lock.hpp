#pragma once

#include <sys/file.h>

#include <cerrno>

namespace loadshare {

/// Whether to wait if another process holds a lock.
enum class LockWait { no, yes };

/// Locks an open file or folder against other processes (flock). The lock ends with the descriptor, and so
/// with the process. Returns 0, or the errno of the failure: EWOULDBLOCK if another process holds the lock.
/// Any other errno means that the file system cannot lock, which some network file systems cannot. A signal
/// does not interrupt the wait.
inline int lock_file(int descriptor, LockWait wait) {
  constexpr int most_interruptions = 10'000;
  const int operation = wait == LockWait::yes ? LOCK_EX : LOCK_EX | LOCK_NB;
  for (int interruptions = 0; ::flock(descriptor, operation) != 0; ++interruptions)
    if (errno != EINTR || interruptions == most_interruptions) return errno;
  return 0;
}

/// The reason of a failure other than EWOULDBLOCK; the system's text follows it.
inline constexpr const char* cannot_lock = "this file system cannot lock files";

}  // namespace loadshare
