#include "runtime/profile/file_bytes.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "runtime/host/descriptor.hpp"
#include "schedulers/error.hpp"

namespace loadshare::profile {
namespace {

[[noreturn]] void refuse_unreadable(const std::string& path) {
  throw UsageError(fmt::format("cannot read {}", path), std::strerror(errno));
}

}  // namespace

FileBytes::FileBytes(const std::string& path) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat info {};
  if (file.number() < 0 || fstat(file.number(), &info) != 0) refuse_unreadable(path);
  if (!S_ISREG(info.st_mode)) throw UsageError(fmt::format("cannot read {}", path), "it is no regular file");
  size_ = static_cast<std::size_t>(info.st_size);
  if (size_ == 0) return;
  void* memory = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file.number(), 0);
  if (memory == MAP_FAILED) refuse_unreadable(path);
  data_ = static_cast<const std::byte*>(memory);
}

FileBytes::~FileBytes() {
  if (data_ != nullptr) munmap(const_cast<std::byte*>(data_), size_);
}

}  // namespace loadshare::profile
