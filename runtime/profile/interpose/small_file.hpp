#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <string_view>

namespace loadshare::profile {

/// The begin of a file of the kernel's, read once: no allocation, nothing thrown; empty where it cannot be
/// read.
template <std::size_t Size>
class SmallFile final {
 public:
  explicit SmallFile(const char* path) {
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    const ssize_t size = read(file, text_.data(), text_.size());
    size_ = size > 0 ? static_cast<std::size_t>(size) : 0;
    close(file);
  }
  std::string_view text() const { return {text_.data(), size_}; }

 private:
  std::array<char, Size> text_{};
  std::size_t size_ = 0;
};

}  // namespace loadshare::profile
