#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "runtime/timing/json.hpp"
#include "runtime/timing/output_path.hpp"
#include "schedulers/error.hpp"

namespace loadshare {
namespace {

[[noreturn]] void throw_not_appended(const std::string& path, int error) {
  throw Error(ExitCode::run_failed, fmt::format("cannot append the JSON line to {}", path),
              std::strerror(error), "no part of it was kept");
}

/// A file opened for appending and locked against other runs that append to it.
class AppendedFile {
 public:
  explicit AppendedFile(const std::string& path)
      : path_(path),
        existed_(access(path.c_str(), F_OK) == 0),
        descriptor_(open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666)) {
    if (descriptor_ < 0) throw_not_appended(path, errno);
    // Some network file systems cannot lock; a single write to the end is then the next best.
    (void)flock(descriptor_, LOCK_EX);
    struct stat status {};
    if (fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode)) old_size_ = status.st_size;
  }
  AppendedFile(const AppendedFile&) = delete;
  AppendedFile& operator=(const AppendedFile&) = delete;
  ~AppendedFile() {
    if (descriptor_ >= 0) close(descriptor_);
  }

  void append(std::string_view bytes) {
    const int error = write_fully(descriptor_, bytes);
    if (error == 0) return;
    take_back();
    throw_not_appended(path_, error);
  }

 private:
  void take_back() {
    if (old_size_ < 0) return;
    (void)!ftruncate(descriptor_, old_size_);
    // Another run may have written to a file that this one made.
    if (!existed_ && old_size_ == 0) unlink(path_.c_str());
  }

  const std::string& path_;
  bool existed_;
  int descriptor_;
  off_t old_size_ = -1;
};

}  // namespace

JsonSink::JsonSink(std::string path) : path_(std::move(path)) {
  if (!is_stdout()) require_writable(path_, "the JSON line");
}

void JsonSink::append(std::string line) const {
  line.push_back('\n');
  if (!is_stdout()) return AppendedFile(path_).append(line);
  std::fflush(stdout);
  if (const int error = write_fully(STDOUT_FILENO, line); error != 0) throw_not_appended("stdout", error);
}

}  // namespace loadshare
