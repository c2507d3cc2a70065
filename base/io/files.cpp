#include "base/io/files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/io/error_text.hpp"
#include "base/quantities.hpp"

namespace loadshare {
namespace {

namespace fs = std::filesystem;

std::string directory_of(const std::string& path) {
  const fs::path parent = fs::path(path).parent_path();
  return parent.empty() ? "." : parent.string();
}

/// Whether the device is /dev/full, recognised by its number: a device cannot be tried without writing to it.
bool is_always_full(const struct stat& status) {
  return S_ISCHR(status.st_mode) && status.st_rdev == makedev(1, 7);
}

/// Whether the disk of this file or directory has no free block. A file system without a size, such as /proc,
/// has no limit.
bool is_disk_full(const std::string& path) {
  struct statvfs disk {};
  if (statvfs(path.c_str(), &disk) != 0) return false;
  const fsblkcnt_t free = geteuid() == 0 ? disk.f_bfree : disk.f_bavail;
  return disk.f_blocks > 0 && free == 0;
}

/// Returns why no file can be created in `directory`, or nothing if one can.
std::optional<std::string> obstacle_in(const std::string& directory) {
  struct stat status {};
  if (stat(directory.c_str(), &status) != 0 || !S_ISDIR(status.st_mode))
    return fmt::format("there is no directory {}", directory);
  if (access(directory.c_str(), W_OK | X_OK) != 0)
    return fmt::format("no file can be made in {}: {}", directory, error_text(errno));
  if (is_disk_full(directory)) return error_text(ENOSPC);
  return std::nullopt;
}

/// Returns the file that `path` points to, if it is a link.
std::string target_of(const std::string& path) {
  std::error_code no_link;
  return fs::is_symlink(path, no_link) ? fs::weakly_canonical(path).string() : path;
}

/// Returns why `path` cannot be written, or nothing if it can.
std::optional<std::string> obstacle(const std::string& path, Writing writing) {
  if (path.empty()) return "the name is empty";
  struct stat status {};
  if (stat(path.c_str(), &status) != 0)
    return errno == ENOENT ? obstacle_in(directory_of(path)) : error_text(errno);
  if (S_ISDIR(status.st_mode)) return "it is a directory";
  if (access(path.c_str(), W_OK) != 0) return error_text(errno);
  if (is_always_full(status) || (S_ISREG(status.st_mode) && is_disk_full(path))) return error_text(ENOSPC);
  if (!S_ISREG(status.st_mode) || writing == Writing::at_the_end) return std::nullopt;
  return obstacle_in(directory_of(target_of(path)));
}

bool is_special(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode);
}

[[noreturn]] void throw_not_written(const std::string& path, int error) {
  throw Error(ExitCode::run_failed, fmt::format("cannot write {}", path), error_text(error));
}

/// A buffered file that is complete only after close(). Before that, its destructor removes it.
class NewFile {
 public:
  NewFile(std::string path, int flags)
      : path_(std::move(path)),
        removes_((flags & O_EXCL) != 0),
        descriptor_(open(path_.c_str(), flags, 0666)) {
    if (descriptor_ < 0) throw_not_written(path_, errno);
  }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  ~NewFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
    if (removes_) unlink(path_.c_str());
  }

  void write(std::string_view bytes) {
    buffer_.append(bytes);
    if (buffer_.size() >= buffer_limit) flush();
  }

  /// Copies the access rights of the file that this one will replace.
  void take_mode_of(const std::string& old_path) {
    struct stat status {};
    // If this fails, the file keeps a new file's usual rights: no reason to lose its content.
    if (stat(old_path.c_str(), &status) == 0) (void)!fchmod(descriptor_, status.st_mode & 07777);
  }

  void close() {
    flush();
    if (::close(std::exchange(descriptor_, -1)) != 0) throw_not_written(path_, errno);
  }

  void rename_to(const std::string& path) {
    if (std::rename(path_.c_str(), path.c_str()) != 0) throw_not_written(path, errno);
    removes_ = false;
  }

 private:
  static constexpr std::size_t buffer_limit = std::size_t{1} << 20;

  void flush() {
    if (const int error = write_fully(descriptor_, buffer_); error != 0) throw_not_written(path_, error);
    buffer_.clear();
  }

  std::string path_;
  bool removes_;
  int descriptor_;
  std::string buffer_;
};

/// Whether two names refer to one regular file, now or once it is written.
bool is_same_file(const std::string& one, const std::string& other) {
  std::error_code ignored;
  const bool exists = fs::exists(one, ignored) && fs::exists(other, ignored);
  if (exists) return fs::is_regular_file(one, ignored) && fs::equivalent(one, other, ignored);
  return fs::weakly_canonical(one, ignored) == fs::weakly_canonical(other, ignored);
}

/// The byte order mark that some editors write before a text in UTF-8. It is not part of the text.
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

[[noreturn]] void cannot_read(const std::string& name, std::string_view why) {
  throw UsageError(fmt::format("cannot read {}", name), why);
}

std::string too_long(std::size_t most_bytes) {
  return "it is longer than " + human_bytes(most_bytes);
}

void require_finite(int file, const std::string& name, std::size_t most_bytes) {
  struct stat status {};
  if (fstat(file, &status) != 0) cannot_read(name, error_text(errno));
  if (S_ISDIR(status.st_mode)) cannot_read(name, "it is a directory");
  const bool is_nothing = S_ISCHR(status.st_mode) && status.st_rdev == makedev(1, 3);  // /dev/null
  if (!S_ISREG(status.st_mode) && !S_ISFIFO(status.st_mode) && !is_nothing)
    cannot_read(name, "it is a device, not a file");
  if (std::cmp_greater(status.st_size, most_bytes)) cannot_read(name, too_long(most_bytes));
}

Descriptor open_finite(const std::string& path, const std::string& name, std::size_t most_bytes) {
  Descriptor file = open_without_waiting(path);
  if (file.number() < 0) cannot_read(name, error_text(errno));
  require_finite(file.number(), name, most_bytes);
  return file;
}

/// Appends some bytes of the file. Returns false at its end.
bool read_some(int file, std::string& text, const std::string& name) {
  constexpr int patience_s = 5;
  pollfd ready{.fd = file, .events = POLLIN, .revents = 0};
  if (::poll(&ready, 1, 1000 * patience_s) == 0)
    cannot_read(name, fmt::format("it is a pipe, and nothing has come for {} s", patience_s));
  char buffer[1 << 16];
  ssize_t size = -1;
  do size = ::read(file, buffer, sizeof buffer);
  while (size < 0 && errno == EINTR);
  if (size < 0) cannot_read(name, error_text(errno));
  text.append(buffer, static_cast<std::size_t>(size));
  return size > 0;
}

std::string rest_of(std::ifstream& file) {
  std::string text;
  char buffer[1 << 16];
  while (file.read(buffer, sizeof buffer) || file.gcount() > 0)
    text.append(buffer, static_cast<std::size_t>(file.gcount()));
  return text;
}

}  // namespace

void ignore_file_limit_signal() {
  struct sigaction old {};
  if (::sigaction(SIGXFSZ, nullptr, &old) == 0 && old.sa_handler == SIG_DFL) std::signal(SIGXFSZ, SIG_IGN);
}

void require_writable(const std::string& path, std::string_view purpose, Writing writing) {
  if (const auto why = obstacle(path, writing))
    throw UsageError(fmt::format("cannot write {} to '{}'", purpose, path), *why, "name another file");
}

int write_fully(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

void replace_file(const std::string& path, const std::function<void(const ByteSink&)>& write_content) {
  if (is_special(path)) {
    NewFile file(path, O_WRONLY | O_CLOEXEC);
    write_content([&](std::string_view bytes) { file.write(bytes); });
    return file.close();
  }
  const std::string target = target_of(path);
  NewFile file(fmt::format("{}.{}.part", target, getpid()), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC);
  file.take_mode_of(target);
  write_content([&](std::string_view bytes) { file.write(bytes); });
  file.close();
  file.rename_to(target);
}

void replace_file(const std::string& path, std::string_view content) {
  replace_file(path, [&](const ByteSink& sink) { sink(content); });
}

void require_own_files(std::vector<NamedFile> data, const std::vector<NamedFile>& reports) {
  for (const NamedFile& report : reports) {
    for (const NamedFile& file : data)
      if (!report.path.empty() && !file.path.empty() && is_same_file(report.path, file.path))
        throw UsageError(fmt::format("{} and {} are the same file", file.option, report.option), report.path,
                         "name another file");
    data.push_back(report);
  }
}

void require_outputs(const std::vector<NamedFile>& read, const std::vector<OutputOption>& outputs) {
  std::vector<OutputOption> files = outputs;
  std::erase_if(files, [](const OutputOption& output) { return output.path.empty() || output.path == "-"; });
  std::vector<NamedFile> written;
  for (const OutputOption& file : files) written.push_back({file.option, file.path});
  require_own_files(read, written);
  for (const OutputOption& file : files) require_writable(file.path, file.what);
}

void show(std::FILE* out, std::string_view what, std::string_view text) {
  const bool is_written = std::fwrite(text.data(), 1, text.size(), out) == text.size();
  if (std::fflush(out) == 0 && is_written) return;
  if (errno != EPIPE)
    throw Error(ExitCode::run_failed, fmt::format("cannot print {}", what), error_text(errno));
}

Descriptor open_without_waiting(const std::string& path) {
  return Descriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
}

std::string read_bytes(const Descriptor& file, const std::string& name, std::size_t most_bytes) {
  require_finite(file.number(), name, most_bytes);
  std::string bytes;
  for (std::size_t size = 0; size <= most_bytes; size = bytes.size())
    if (!read_some(file.number(), bytes, name)) return bytes;
  cannot_read(name, too_long(most_bytes));
}

std::string read_text_file(const std::string& path, std::string_view what, std::size_t most_bytes) {
  const std::string name = what.empty() ? path : fmt::format("{} {}", what, path);
  std::string text = read_bytes(open_finite(path, name, most_bytes), name, most_bytes);
  if (text.starts_with(byte_order_mark)) text.erase(0, byte_order_mark.size());
  return text;
}

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return rest_of(file);
}

LineFile::LineFile(const std::string& path)
    : path_(path), file_(open_finite(path, path, std::numeric_limits<std::size_t>::max())) {}

bool LineFile::next(std::string& line) {
  const bool is_first = read_bytes_ == 0;
  line.clear();
  is_finished_ = false;
  while (!is_finished_ && (at_ < buffer_.size() || fill())) {
    const std::size_t end = std::min(buffer_.find('\n', at_), buffer_.size());
    line.append(buffer_, at_, end - at_);
    is_finished_ = end < buffer_.size();
    const std::size_t next = std::min(end + 1, buffer_.size());
    read_bytes_ += next - std::exchange(at_, next);
    if (line.size() > most_text_bytes)
      cannot_read(path_, "a line of " + human_bytes(most_text_bytes) + " has not ended");
  }
  if (is_first && line.starts_with(byte_order_mark)) line.erase(0, byte_order_mark.size());
  return is_finished_ || !line.empty();
}

bool LineFile::fill() {
  buffer_.clear();
  at_ = 0;
  return read_some(file_.number(), buffer_, path_);
}

}  // namespace loadshare
