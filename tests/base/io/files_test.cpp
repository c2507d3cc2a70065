#include "base/io/files.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/error_of.hpp"

namespace loadshare {
namespace {

namespace fs = std::filesystem;

/// Root may write everywhere; as long as this lives, a root that runs the test is somebody who may not.
class OrdinaryUser {
 public:
  OrdinaryUser() : is_root_(getuid() == 0) { become(65534); }
  OrdinaryUser(const OrdinaryUser&) = delete;
  OrdinaryUser& operator=(const OrdinaryUser&) = delete;
  ~OrdinaryUser() { become(0); }

 private:
  void become(uid_t user) const {
    if (!is_root_) return;
    EXPECT_EQ(setresuid(user, user, 0), 0);
  }

  bool is_root_;
};

/// A folder in which nothing new can be made, with a file that everybody may write.
class ClosedFolder : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = fs::temp_directory_path() / "loadshare-files-XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    std::ofstream(file()) << "old\n";
    fs::permissions(file(), fs::perms{0666});
    fs::permissions(folder_, fs::perms{0555});
  }

  void TearDown() override {
    fs::permissions(folder_, fs::perms{0755});
    fs::remove_all(folder_);
  }

  std::string file() const { return folder_ / "old"; }

  std::string why_not(const std::string& name, const std::string& why) const {
    return "cannot write the trace to '" + name + "' (" + why + ") name another file";
  }

  std::string closed() const { return "no file can be made in " + folder_.string() + ": Permission denied"; }

  fs::path folder_;
};

TEST_F(ClosedFolder, TakesNoNewFileInTheOldOnesPlace) {
  const OrdinaryUser somebody;
  EXPECT_EQ(error_of([&] { require_writable(file(), "the trace"); }), why_not(file(), closed()));
  EXPECT_THROW(replace_file(file(), "new\n"), Error);
  EXPECT_EQ(content_of(file()), "old\n");
}

TEST_F(ClosedFolder, TakesMoreAtTheEndOfAFile) {
  const OrdinaryUser somebody;
  EXPECT_NO_THROW(require_writable(file(), "the trace", Writing::at_the_end));
}

TEST_F(ClosedFolder, IsThatOfTheFileNotOfALinkToIt) {
  const std::string open = fs::temp_directory_path() / ("loadshare-link-" + std::to_string(getpid()));
  fs::create_symlink(file(), open);
  {
    const OrdinaryUser somebody;
    EXPECT_EQ(error_of([&] { require_writable(open, "the trace"); }), why_not(open, closed()));
  }
  fs::remove(open);
}

TEST_F(ClosedFolder, TakesNoNewName) {
  const OrdinaryUser somebody;
  EXPECT_EQ(error_of([&] { require_writable(folder_ / "new", "the trace", Writing::at_the_end); }),
            why_not(folder_ / "new", closed()));
}

TEST(RequireWritable, TakesADeviceWhereverItLies) {
  const OrdinaryUser somebody;
  EXPECT_NO_THROW(require_writable("/dev/null", "the trace"));
}

}  // namespace
}  // namespace loadshare
