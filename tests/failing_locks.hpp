#pragma once

namespace loadshare::test {

/// While it exists, the next `times` calls of flock() fail with this errno, as on file systems that cannot
/// lock; by default all do. For programs linked with failing_locks.cpp.
class FailingLocks final {
 public:
  explicit FailingLocks(int error, int times = -1);
  ~FailingLocks();
  FailingLocks(const FailingLocks&) = delete;
  FailingLocks& operator=(const FailingLocks&) = delete;
};

}  // namespace loadshare::test
