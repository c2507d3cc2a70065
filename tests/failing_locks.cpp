#include "tests/failing_locks.hpp"

#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace loadshare::test {
namespace {

int failure = 0;
int times_left = 0;  // negative: always

}  // namespace

FailingLocks::FailingLocks(int error, int times) {
  failure = error;
  times_left = times;
}
FailingLocks::~FailingLocks() {
  times_left = 0;
}

}  // namespace loadshare::test

/// Replaces the function of the C library, because local file systems can lock.
extern "C" int flock(int descriptor, int operation) noexcept {
  using namespace loadshare::test;
  if (times_left == 0) return static_cast<int>(syscall(SYS_flock, descriptor, operation));
  if (times_left > 0) --times_left;
  errno = failure;
  return -1;
}
