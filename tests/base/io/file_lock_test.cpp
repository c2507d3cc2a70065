#include "base/io/file_lock.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>

#include "base/io/descriptor.hpp"
#include "tests/failing_locks.hpp"

namespace loadshare {
namespace {

Descriptor open_folder() {
  return Descriptor(::open(::testing::TempDir().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

TEST(FileLock, BelongsToOneDescriptor) {
  const Descriptor first = open_folder(), second = open_folder();
  EXPECT_EQ(lock_file(first.number(), LockWait::no), 0);
  EXPECT_EQ(lock_file(second.number(), LockWait::no), EWOULDBLOCK);
}

TEST(FileLock, SurvivesSignals) {
  const Descriptor folder = open_folder();
  const test::FailingLocks interrupted(EINTR, 7);
  EXPECT_EQ(lock_file(folder.number(), LockWait::yes), 0);
}

TEST(FileLock, TriesNoLongerThanSignalsCanLast) {
  const Descriptor folder = open_folder();
  const test::FailingLocks interrupted(EINTR);
  EXPECT_EQ(lock_file(folder.number(), LockWait::yes), EINTR);
}

TEST(FileLock, SaysWhyAFileSystemCannotLock) {
  const Descriptor folder = open_folder();
  for (const int error : {ENOLCK, EOPNOTSUPP, ENOSYS}) {
    const test::FailingLocks failing(error);
    EXPECT_EQ(lock_file(folder.number(), LockWait::no), error);
    EXPECT_EQ(lock_file(folder.number(), LockWait::yes), error);
  }
}

}  // namespace
}  // namespace loadshare
