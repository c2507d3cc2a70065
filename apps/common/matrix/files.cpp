#include "apps/common/matrix/files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/io/error_text.hpp"
#include "base/io/files.hpp"
#include "base/io/process.hpp"

namespace loadshare {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void cannot_read(const std::string& path, std::string_view why) {
  throw UsageError(fmt::format("cannot read {}", path.empty() ? "''" : path), why);
}

FileDescriptor open_for_reading(const std::string& path) {
  // O_NONBLOCK: opening a pipe without a writer would block forever.
  FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.is_open()) cannot_read(path, error_text(errno));
  return file;
}

std::size_t regular_size(const FileDescriptor& file, const std::string& path) {
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) cannot_read(path, error_text(errno));
  if (S_ISDIR(status.st_mode)) cannot_read(path, "it is a directory");
  if (!S_ISREG(status.st_mode)) cannot_read(path, "it is not a regular file");
  return static_cast<std::size_t>(status.st_size);
}

Mapping map_for_reading(const std::string& path) {
  const FileDescriptor file = open_for_reading(path);
  return {file, regular_size(file, path), Access::read, path};
}

constexpr int most_links = 40;  // the kernel's limit

[[noreturn]] void cannot_write(const std::string& path, std::string_view why,
                               std::string_view suggestion = {}) {
  throw UsageError(fmt::format("cannot write {}", path.empty() ? "''" : path), why, suggestion);
}

/// Whether a name refers to an open stream, as the target of /dev/stdout does. Replacing the file behind it
/// would delete what others have written there.
bool is_open_stream(const fs::path& name) {
  std::error_code ignored;
  return fs::canonical(name.parent_path(), ignored).string().starts_with("/proc/");
}

/// Returns the file that `path` refers to after all links. It need not exist.
std::string follow_links(const std::string& path) {
  fs::path target = path;
  std::error_code ignored;
  for (int i = 0; fs::is_symlink(target, ignored); ++i) {
    if (i == most_links) cannot_write(path, error_text(ELOOP));
    if (is_open_stream(target)) cannot_write(path, "it is an open stream, not a file", "name a file");
    target = target.parent_path() / fs::read_symlink(target);
  }
  return target;
}

std::string directory_of(const std::string& target) {
  const std::string directory = fs::path(target).parent_path();
  return directory.empty() ? "." : directory;
}

void check_directory(const std::string& target, const std::string& path) {
  const std::string directory = directory_of(target);
  std::error_code error;
  const fs::file_status status = fs::status(directory, error);
  if (status.type() == fs::file_type::not_found)
    cannot_write(path, fmt::format("there is no directory {}", directory),
                 fmt::format("make it with mkdir -p {}", file_word(directory)));
  if (!fs::is_directory(status))
    cannot_write(path, error ? error_text(error.value()) : directory + " is not a directory");
}

/// Refuses a target that must not be replaced. Returns the mode of an existing file.
std::optional<mode_t> check_target(const std::string& target, const std::string& path) {
  if (target.empty() || target.ends_with('/')) cannot_write(path, "it is not the name of a file");
  check_directory(target, path);
  struct stat status {};
  if (::stat(target.c_str(), &status) != 0) {
    if (errno == ENOENT) return {};
    cannot_write(path, error_text(errno));
  }
  if (S_ISDIR(status.st_mode)) cannot_write(path, "it is a directory", "add a file name");
  if (!S_ISREG(status.st_mode))
    cannot_write(path, "it is not a regular file", "write to a file and copy it from there");
  if (::faccessat(AT_FDCWD, target.c_str(), W_OK, AT_EACCESS) != 0) cannot_write(path, error_text(errno));
  return status.st_mode & 07777;
}

std::string part_path(const std::string& target) {
  // A name may have 255 bytes; the target's own name may use all of them.
  const std::string name = fs::path(target).filename().string().substr(0, 200);
  return fmt::format("{}/.{}.part-{}", directory_of(target), name, ::getpid());
}

FileDescriptor create_nameless(const std::string& target) {
  // An unnamed file later gets its name through /proc.
  if (::access("/proc/self/fd", X_OK) != 0) return FileDescriptor();
  return FileDescriptor(::open(directory_of(target).c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0666));
}

FileDescriptor create(const std::string& target, const std::string& path, PartName& part) {
  FileDescriptor file = create_nameless(target);
  if (file.is_open()) return file;
  const std::string name = part_path(target);
  file = FileDescriptor(::open(name.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0666));
  if (!file.is_open() && errno == EACCES)
    cannot_write(path, fmt::format("permission denied in directory {}", directory_of(target)));
  if (!file.is_open()) cannot_write(path, error_text(errno));
  part = PartName(name);
  return file;
}

/// Throws if the file would exceed `ulimit -f`, because the system would end the process by a signal.
void check_file_limit(const std::string& path, Bytes bytes) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || bytes <= limit.rlim_cur)
    return;
  cannot_write(path, fmt::format("it needs {}, and ulimit -f allows files of {}", human_bytes(bytes),
                                 human_bytes(limit.rlim_cur)));
}

void reserve(const FileDescriptor& file, const std::string& path, Bytes bytes) {
  struct statvfs before {};
  ::fstatvfs(file.get(), &before);
  int error = EINTR;
  while (error == EINTR) error = ::posix_fallocate(file.get(), 0, static_cast<off_t>(bytes));
  if (error == 0) return;
  if (error != ENOSPC)
    cannot_write(path, fmt::format("{}: it needs {}", error_text(error), human_bytes(bytes)));
  const Bytes free = static_cast<Bytes>(before.f_bavail) * before.f_frsize;
  cannot_write(path, fmt::format("no space left on device: it needs {}, {} are free", human_bytes(bytes),
                                 human_bytes(free)));
}

FileDescriptor create_reserved(const std::string& target, const std::string& path, Bytes bytes,
                               PartName& part) {
  check_file_limit(path, bytes);
  FileDescriptor file = create(target, path, part);
  reserve(file, path, bytes);
  return file;
}

}  // namespace

FileDescriptor::FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

FileDescriptor& FileDescriptor::operator=(FileDescriptor&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

FileDescriptor::~FileDescriptor() {
  if (fd_ >= 0) ::close(fd_);
}

Mapping::Mapping(const FileDescriptor& file, std::size_t bytes, Access access, std::string_view name)
    : bytes_(bytes) {
  if (bytes == 0) return;
  const int protection = access == Access::read ? PROT_READ : PROT_READ | PROT_WRITE;
  void* memory = ::mmap(nullptr, bytes, protection, MAP_SHARED, file.get(), 0);
  if (memory == MAP_FAILED)
    throw UsageError(fmt::format("cannot map {} into memory", name), error_text(errno));
  data_ = static_cast<std::byte*>(memory);
  ::madvise(memory, bytes, MADV_SEQUENTIAL);
}

Mapping::Mapping(Mapping&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

Mapping& Mapping::operator=(Mapping&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

Mapping::~Mapping() {
  if (data_) ::munmap(data_, bytes_);
}

void Mapping::drop(std::size_t offset, std::size_t bytes) const {
  static const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  // The first page was begun by the previous part and is no longer needed; the last one will be used next.
  const std::size_t begin = offset / page * page;
  const std::size_t end = offset + bytes >= bytes_ ? bytes_ : (offset + bytes) / page * page;
  if (begin < end) ::madvise(data_ + begin, end - begin, MADV_DONTNEED);
}

MappedFile::MappedFile(const std::string& path) : path_(path), map_(map_for_reading(path)) {}

PartName::~PartName() {
  if (exists()) ::unlink(path_.c_str());
}

OutputFile::OutputFile(const std::string& path, Bytes bytes)
    : path_(path),
      target_(follow_links(path)),
      old_mode_(check_target(target_, path)),
      file_(create_reserved(target_, path, bytes, part_)),
      map_(file_, bytes, Access::write, path) {}

void OutputFile::written(std::size_t offset, std::size_t bytes) const {
  ::sync_file_range(file_.get(), static_cast<off_t>(offset), static_cast<off_t>(bytes),
                    SYNC_FILE_RANGE_WRITE);
  map_.drop(offset, bytes);
}

void OutputFile::cannot_commit(int error) const {
  throw Error(ExitCode::run_failed, fmt::format("cannot write {}", path_), error_text(error));
}

void OutputFile::keep_mode() const {
  struct stat old {};
  if (!old_mode_ || ::stat(target_.c_str(), &old) != 0) return;
  // Only root may change the owner; for other users the new file keeps its own. The owner comes first,
  // because changing it clears mode bits.
  [[maybe_unused]] const int owner = ::fchown(file_.get(), old.st_uid, old.st_gid);
  ::fchmod(file_.get(), *old_mode_);
}

void OutputFile::put_in_place() {
  if (!part_.exists()) {
    const std::string nameless = fmt::format("/proc/self/fd/{}", file_.get());
    const auto link_to = [&](const std::string& name) {
      return ::linkat(AT_FDCWD, nameless.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
    };
    if (link_to(target_)) return;
    // linkat() never replaces a file, but rename() does.
    const std::string name = part_path(target_);
    if (errno != EEXIST || !link_to(name)) cannot_commit(errno);
    part_ = PartName(name);
  }
  if (::rename(part_.path().c_str(), target_.c_str()) != 0) cannot_commit(errno);
  part_.give_up();
}

void OutputFile::commit() {
  keep_mode();
  // Reports late errors of the disk (or a network file system's quota) while the old file still exists.
  if (::fsync(file_.get()) != 0) cannot_commit(errno);
  put_in_place();
}

}  // namespace loadshare
