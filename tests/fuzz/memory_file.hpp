#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <span>
#include <string>

#include "base/io/descriptor.hpp"

namespace loadshare::fuzz {

/// A file in memory, for readers that need a path.
class MemoryFile final {
 public:
  std::string path() const { return "/proc/self/fd/" + std::to_string(file_.number()); }

  void put(std::span<const std::byte> bytes) {
    cut(0);
    write(0, bytes);
  }
  void write(std::size_t offset, std::span<const std::byte> bytes) {
    [[maybe_unused]] const auto written =
        ::pwrite(file_.number(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
  }
  void cut(std::size_t size) {
    [[maybe_unused]] const int ignored = ::ftruncate(file_.number(), static_cast<off_t>(size));
  }

 private:
  Descriptor file_{::memfd_create("input", MFD_CLOEXEC)};
};

}  // namespace loadshare::fuzz
