#include "apps/common/matrix/files.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <algorithm>
#include <csignal>

#include "tests/apps/common/files.hpp"

namespace loadshare {
namespace {

namespace fs = std::filesystem;
using test::error_of;
using test::read_file;
using test::TemporaryDirectory;
using test::write_file;

class Output : public testing::Test {
 protected:
  std::string error(const std::string& name, Bytes bytes = 3) {
    return error_of([&] { OutputFile(directory_ / name, bytes); }, directory_.path());
  }
  void write(const std::string& path, std::string_view content) {
    OutputFile file(path, content.size());
    std::ranges::copy(content, reinterpret_cast<char*>(file.data()));
    file.written(0, content.size());
    file.commit();
  }
  TemporaryDirectory directory_;
};

TEST_F(Output, AppearsCompleteAndOnlyAtCommit) {
  {
    OutputFile file(directory_ / "C.npy", 3);
    EXPECT_FALSE(fs::exists(directory_ / "C.npy"));
    std::ranges::copy(std::string("new"), reinterpret_cast<char*>(file.data()));
    file.commit();
  }
  EXPECT_EQ(read_file(directory_ / "C.npy"), "new");
  EXPECT_EQ(directory_.entries(), 1);
}

TEST_F(Output, HasTheUsersModeForNewFiles) {
  const mode_t old = ::umask(027);
  write(directory_ / "C.npy", "new");
  ::umask(old);
  EXPECT_EQ(fs::status(directory_ / "C.npy").permissions(), static_cast<fs::perms>(0640));
}

TEST_F(Output, KeepsAnExistingFileAndItsMode) {
  write_file(directory_ / "C.npy", "old one");
  fs::permissions(directory_ / "C.npy", static_cast<fs::perms>(0604));
  { const OutputFile never_committed(directory_ / "C.npy", 3); }
  EXPECT_EQ(read_file(directory_ / "C.npy"), "old one");
  write(directory_ / "C.npy", "new");
  EXPECT_EQ(read_file(directory_ / "C.npy"), "new");
  EXPECT_EQ(fs::status(directory_ / "C.npy").permissions(), static_cast<fs::perms>(0604));
  EXPECT_EQ(directory_.entries(), 1);
}

TEST_F(Output, FollowsSymbolicLinks) {
  fs::create_directory(directory_ / "real");
  fs::create_symlink("real/C.npy", directory_ / "one");
  fs::create_symlink(directory_ / "one", directory_ / "two");
  write(directory_ / "two", "first");
  write(directory_ / "two", "second");
  EXPECT_TRUE(fs::is_symlink(directory_ / "two"));
  EXPECT_EQ(read_file(directory_ / "real/C.npy"), "second");
}

TEST_F(Output, RefusesTargetsThatAreNotFiles) {
  fs::create_directory(directory_ / "D.npy");
  EXPECT_EQ(error("D.npy"), "cannot write D.npy (it is a directory); add a file name");
  EXPECT_EQ(error("D.npy/"), "cannot write D.npy/ (it is not the name of a file)");
  ASSERT_EQ(::mkfifo((directory_ / "F.npy").c_str(), 0600), 0);
  EXPECT_EQ(error("F.npy"),
            "cannot write F.npy (it is not a regular file); write to a file and copy it from there");
  fs::create_symlink("L.npy", directory_ / "L.npy");
  EXPECT_EQ(error("L.npy"), "cannot write L.npy (too many levels of symbolic links)");
  EXPECT_EQ(error_of([] { OutputFile("/dev/full", 3); }),
            "cannot write /dev/full (it is not a regular file); write to a file and copy it from there");
  EXPECT_EQ(error_of([] { OutputFile("", 3); }), "cannot write '' (it is not the name of a file)");
}

TEST_F(Output, DoesNotReplaceTheFileBehindAStream) {
  write_file(directory_ / "log", "what others wrote");
  const FileDescriptor stream(::open((directory_ / "log").c_str(), O_WRONLY));
  const std::string name = "/dev/fd/" + std::to_string(stream.get());
  EXPECT_EQ(error_of([&] { OutputFile(name, 3); }),
            "cannot write " + name + " (it is an open stream, not a file); name a file");
  EXPECT_EQ(read_file(directory_ / "log"), "what others wrote");
}

TEST_F(Output, RefusesPlacesWhereNothingCanBeWritten) {
  EXPECT_EQ(error("no/such/C.npy"),
            "cannot write no/such/C.npy (there is no directory no/such); make it with mkdir -p no/such");
  write_file(directory_ / "file", "x");
  EXPECT_EQ(error("file/C.npy"), "cannot write file/C.npy (file is not a directory)");
  EXPECT_EQ(error(std::string(300, 'n')), "cannot write " + std::string(300, 'n') + " (file name too long)");
}

TEST_F(Output, RefusesToReplaceAFileWithoutPermission) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write everything";
  write_file(directory_ / "C.npy", "old");
  fs::permissions(directory_ / "C.npy", static_cast<fs::perms>(0444));
  EXPECT_EQ(error("C.npy"), "cannot write C.npy (permission denied)");
  fs::permissions(directory_.path(), static_cast<fs::perms>(0555));
  EXPECT_EQ(error("D.npy"), "cannot write D.npy (permission denied in directory " + directory_.path() + ")");
  fs::permissions(directory_.path(), static_cast<fs::perms>(0755));
}

TEST_F(Output, RefusesMoreThanTheUsersLimit) {
  rlimit old{};
  ::getrlimit(RLIMIT_FSIZE, &old);
  const rlimit small{1 << 20, old.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &small);
  const std::string text = error("C.npy", 2 << 20);
  ::setrlimit(RLIMIT_FSIZE, &old);
  EXPECT_EQ(text, "cannot write C.npy (it needs 2 MiB, and ulimit -f allows files of 1 MiB)");
}

TEST_F(Output, LeavesNothingWhenTheProcessIsKilled) {
  const int nameless = ::open(directory_.path().c_str(), O_TMPFILE | O_RDWR, 0600);
  if (nameless < 0) GTEST_SKIP() << "this file system has no O_TMPFILE";
  ::close(nameless);
  write_file(directory_ / "C.npy", "old");
  const pid_t child = ::fork();
  if (child == 0) {
    const OutputFile file(directory_ / "C.npy", 1 << 20);
    std::fill_n(file.data(), 1 << 19, std::byte{1});
    ::raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(read_file(directory_ / "C.npy"), "old");
  EXPECT_EQ(directory_.entries(), 1);
}

/// Mounts a file system of one MiB on a directory.
class SmallDisk {
 public:
  explicit SmallDisk(std::string path) : path_(std::move(path)) {
    fs::create_directory(path_);
    is_mounted_ = ::mount("none", path_.c_str(), "tmpfs", 0, "size=1m") == 0;
  }
  ~SmallDisk() {
    if (is_mounted_) ::umount(path_.c_str());
  }
  bool is_mounted() const { return is_mounted_; }

 private:
  std::string path_;
  bool is_mounted_ = false;
};

TEST_F(Output, FindsAFullDiskBeforeTheWorkBegins) {
  const SmallDisk disk(directory_ / "disk");
  if (!disk.is_mounted()) GTEST_SKIP() << "mounting a small file system takes root";
  write(directory_ / "disk/C.npy", "old");
  EXPECT_EQ(error("disk/C.npy", 2 << 20),
            "cannot write disk/C.npy (no space left on device: it needs 2 MiB, 1020 KiB are free)");
  EXPECT_EQ(read_file(directory_ / "disk/C.npy"), "old");
  EXPECT_EQ(std::distance(fs::directory_iterator(directory_ / "disk"), fs::directory_iterator()), 1);
  write(directory_ / "disk/D.npy", std::string(512 << 10, 'x'));
  EXPECT_NE(error("disk/C.npy", 600 << 10).find("no space left"), std::string::npos);
}

TEST(PartName, IsRemovedUnlessGivenUp) {
  const TemporaryDirectory directory;
  write_file(directory / "a", "");
  write_file(directory / "b", "");
  {
    PartName removed(directory / "a");
    PartName kept(directory / "b");
    const PartName moved = std::move(removed);
    kept.give_up();
  }
  EXPECT_FALSE(fs::exists(directory / "a"));
  EXPECT_TRUE(fs::exists(directory / "b"));
}

}  // namespace
}  // namespace loadshare
