#include "profiler/preload/section.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string>

#include "tests/failing_locks.hpp"

namespace loadshare::profile {
namespace {

std::string new_path() {
  return ::testing::TempDir() + "section_" + std::to_string(getpid());
}

std::string trouble_of_new_section(const std::string& path) {
  Section section;
  Section::Path name{};
  path.copy(name.data(), name.size() - 1);
  Trouble why = section.reserve(name, 0);
  if (!why) why = section.create(1, 0, 1, 1);
  section.discard();
  return why.text.data();
}

TEST(Section, ReportsAFileSystemThatCannotLock) {
  const std::string path = new_path();
  {
    const test::FailingLocks failing(ENOLCK);
    EXPECT_EQ(trouble_of_new_section(path),
              "cannot lock " + path +
                  " (this file system cannot lock files: No locks available; with --out, name a " +
                  "file on a local disk)");
  }
  const test::FailingLocks interrupted(EINTR, 2);
  EXPECT_EQ(trouble_of_new_section(path), "");
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(Section, LeavesAFileToTheRunThatWritesIt) {
  const std::string path = new_path();
  const test::FailingLocks used(EWOULDBLOCK);
  EXPECT_EQ(trouble_of_new_section(path), "cannot write " + path + " (another run is writing it)");
  EXPECT_TRUE(std::filesystem::remove(path));
}

}  // namespace
}  // namespace loadshare::profile
