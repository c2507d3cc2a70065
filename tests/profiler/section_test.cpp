#include "profiler/preload/section.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string>

#include "tests/failing_locks.hpp"

namespace loadshare::profile {
namespace {

std::string trouble_of_new_section(const std::string& path) {
  Section section;
  std::string text = section.create(path.c_str(), 1, 1, 1).text.data();
  section.discard();
  return text;
}

TEST(Section, OfAFileSystemThatCannotLockSaysSo) {
  const std::string path = ::testing::TempDir() + "section_" + std::to_string(getpid());
  {
    const test::FailingLocks failing(ENOLCK);
    EXPECT_EQ(trouble_of_new_section(path),
              "cannot lock " + path +
                  " (this file system cannot lock files: No locks available; with --out, name a " +
                  "file on a local disk)");
  }
  {
    const test::FailingLocks used(EWOULDBLOCK);
    EXPECT_EQ(trouble_of_new_section(path), "cannot write " + path + " (another run is writing it)");
  }
  const test::FailingLocks interrupted(EINTR, 2);
  EXPECT_EQ(trouble_of_new_section(path), "");
  EXPECT_FALSE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace loadshare::profile
