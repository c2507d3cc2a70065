#include "base/io/files.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "tests/error_of.hpp"

namespace loadshare {
namespace {

namespace fs = std::filesystem;

/// Root may write everywhere. While this exists, a test that runs as root has an ordinary user's permissions.
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

/// A folder in which no file can be created, with a file that every user may write.
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
    return "cannot write the trace to '" + name + "' (" + why + "); name another file";
  }

  std::string closed() const { return "no file can be made in " + folder_.string() + ": permission denied"; }

  fs::path folder_;
};

TEST_F(ClosedFolder, TakesNoNewFileInTheOldOnesPlace) {
  const OrdinaryUser user;
  EXPECT_EQ(error_of([&] { require_writable(file(), "the trace"); }), why_not(file(), closed()));
  EXPECT_THROW(replace_file(file(), "new\n"), Error);
  EXPECT_EQ(content_of(file()), "old\n");
}

TEST_F(ClosedFolder, TakesMoreAtTheEndOfAFile) {
  const OrdinaryUser user;
  EXPECT_NO_THROW(require_writable(file(), "the trace", Writing::at_the_end));
}

TEST_F(ClosedFolder, AppliesToTheTargetOfALink) {
  const std::string open = fs::temp_directory_path() / ("loadshare-link-" + std::to_string(getpid()));
  fs::create_symlink(file(), open);
  {
    const OrdinaryUser user;
    EXPECT_EQ(error_of([&] { require_writable(open, "the trace"); }), why_not(open, closed()));
  }
  fs::remove(open);
}

TEST_F(ClosedFolder, TakesNoNewName) {
  const OrdinaryUser user;
  EXPECT_EQ(error_of([&] { require_writable(folder_ / "new", "the trace", Writing::at_the_end); }),
            why_not(folder_ / "new", closed()));
}

/// A temporary folder.
class ReadFile : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = fs::temp_directory_path() / "loadshare-read-XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string file(const std::string& content) const {
    const std::string path = folder_ / "file";
    std::ofstream(path) << content;
    return path;
  }

  fs::path folder_;
};

TEST_F(ReadFile, IsRefusedIfItHasNoEnd) {
  const std::string device = "/dev/zero", nothing = folder_ / "none";
  for (const auto& [path, why] : {std::pair{device, "it is a device, not a file"},
                                  {folder_.string(), "it is a directory"},
                                  {nothing, "no such file or directory"}}) {
    EXPECT_EQ(error_of([&] { read_text_file(path); }), "cannot read " + path + " (" + why + ")");
    EXPECT_EQ(error_of([&] { LineFile file(path); }), "cannot read " + path + " (" + why + ")");
  }
  EXPECT_EQ(error_of([&] { read_text_file(device, "the trace"); }),
            "cannot read the trace /dev/zero (it is a device, not a file)");
}

TEST_F(ReadFile, MayBeAPipeThatDeliversSomething) {
  const std::string pipe = folder_ / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  {
    const std::jthread writer([&pipe] { std::ofstream(pipe) << "one\ntwo\n"; });
    EXPECT_EQ(read_text_file(pipe), "one\ntwo\n");
  }
  EXPECT_EQ(error_of([&] { read_text_file(pipe); }),
            "cannot read " + pipe + " (it is a pipe, and nothing has come for 5 s)");
}

TEST_F(ReadFile, OfDevNullIsEmpty) {
  EXPECT_EQ(read_text_file("/dev/null"), "");
}

TEST_F(ReadFile, IsRefusedIfItIsTooLong) {
  const std::string path = file("12345");
  EXPECT_EQ(read_text_file(path, {}, 5), "12345");
  EXPECT_EQ(error_of([&] { read_text_file(path, {}, 4); }),
            "cannot read " + path + " (it is longer than 4 bytes)");
  ASSERT_EQ(truncate(path.c_str(), off_t{1} << 40), 0);
  EXPECT_EQ(error_of([&] { read_text_file(path); }), "cannot read " + path + " (it is longer than 256 MiB)");
  LineFile lines(path);
  std::string line;
  EXPECT_EQ(error_of([&] { lines.next(line); }),
            "cannot read " + path + " (a line of 256 MiB has not ended)");
}

TEST_F(ReadFile, BeginsAfterAByteOrderMark) {
  const std::string mark = "\xEF\xBB\xBF";
  EXPECT_EQ(read_text_file(file(mark + "one\n" + mark)), "one\n" + mark);
  EXPECT_EQ(read_text_file(file(mark)), "");
  EXPECT_EQ(read_text_file(file("\xEF\xBB")), "\xEF\xBB");
  const std::string text = mark + "one\n" + mark + "two\nthr";
  LineFile lines(file(text));
  std::string line;
  ASSERT_TRUE(lines.next(line));
  EXPECT_EQ(line, "one");
  EXPECT_EQ(lines.read_bytes(), mark.size() + 4);
  ASSERT_TRUE(lines.next(line));
  EXPECT_EQ(line, mark + "two") << "no other is one";
  ASSERT_TRUE(lines.next(line));
  EXPECT_EQ(line, "thr");
  EXPECT_EQ(lines.read_bytes(), text.size());
  EXPECT_FALSE(lines.next(line));
  EXPECT_FALSE(LineFile(file(mark)).next(line));
}

TEST_F(ReadFile, ComesLineByLine) {
  const std::string long_line(100'000, 'x');
  LineFile lines(file("one\n\n" + long_line + "\nlast"));
  std::string line;
  for (const std::string& expected : {std::string("one"), std::string(), long_line}) {
    ASSERT_TRUE(lines.next(line));
    EXPECT_EQ(line, expected);
    EXPECT_TRUE(lines.is_finished());
  }
  ASSERT_TRUE(lines.next(line));
  EXPECT_EQ(line, "last");
  EXPECT_FALSE(lines.is_finished());
  EXPECT_FALSE(lines.next(line));
}

TEST(RequireWritable, AcceptsADeviceInAnyFolder) {
  const OrdinaryUser user;
  EXPECT_NO_THROW(require_writable("/dev/null", "the trace"));
}

}  // namespace
}  // namespace loadshare
