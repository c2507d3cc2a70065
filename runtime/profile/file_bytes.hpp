#pragma once

#include <cstddef>
#include <string>

namespace loadshare::profile {

/// A file's bytes, mapped for reading. Throws UsageError where it cannot be read.
class FileBytes final {
 public:
  explicit FileBytes(const std::string& path);
  ~FileBytes();
  FileBytes(const FileBytes&) = delete;
  FileBytes& operator=(const FileBytes&) = delete;

  const std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace loadshare::profile
