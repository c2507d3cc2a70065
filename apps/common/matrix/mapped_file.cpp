#include "apps/common/matrix/mapped_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <system_error>
#include <utility>

#include "apps/common/system_reason.hpp"
#include "schedulers/error.hpp"

namespace loadshare {
namespace {

[[noreturn]] void cannot_read(const std::string& path, std::string_view why) {
  throw UsageError(fmt::format("cannot read {}", path.empty() ? "''" : path), why);
}

FileDescriptor open_for_reading(const std::string& path) {
  // O_NONBLOCK: opening a pipe that nobody writes to would wait for ever.
  FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.is_open()) cannot_read(path, system_reason(errno));
  return file;
}

std::size_t regular_size(const FileDescriptor& file, const std::string& path) {
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) cannot_read(path, system_reason(errno));
  if (S_ISDIR(status.st_mode)) cannot_read(path, "it is a directory");
  if (!S_ISREG(status.st_mode)) cannot_read(path, "it is not a regular file");
  return static_cast<std::size_t>(status.st_size);
}

Mapping map_for_reading(const std::string& path) {
  const FileDescriptor file = open_for_reading(path);
  return {file, regular_size(file, path), Access::read, path};
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
    throw UsageError(fmt::format("cannot map {} into memory", name), system_reason(errno));
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
  // The first page was begun by what came before and is done with; the last one is about to be used.
  const std::size_t begin = offset / page * page;
  const std::size_t end = offset + bytes >= bytes_ ? bytes_ : (offset + bytes) / page * page;
  if (begin < end) ::madvise(data_ + begin, end - begin, MADV_DONTNEED);
}

MappedFile::MappedFile(const std::string& path) : path_(path), map_(map_for_reading(path)) {}

}  // namespace loadshare
