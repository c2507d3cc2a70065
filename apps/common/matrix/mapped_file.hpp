#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace loadshare {

/// A file descriptor that closes itself.
class FileDescriptor final {
 public:
  explicit FileDescriptor(int fd = -1) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept;
  FileDescriptor& operator=(FileDescriptor&& other) noexcept;
  ~FileDescriptor();

  int get() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }

 private:
  int fd_;
};

enum class Access { read, write };

/// A whole open file seen as memory. Its pages come in as they are touched and leave the process again with
/// `drop`, so that passing once over a large file needs little memory.
class Mapping final {
 public:
  Mapping() = default;

  /// Maps `bytes` bytes; an empty file gives an empty mapping. Throws UsageError naming `name`.
  Mapping(const FileDescriptor& file, std::size_t bytes, Access access, std::string_view name);
  Mapping(Mapping&& other) noexcept;
  Mapping& operator=(Mapping&& other) noexcept;
  ~Mapping();

  std::byte* data() const { return data_; }
  std::size_t size() const { return bytes_; }

  /// Gives the pages that are done with, from `offset` on, back to the system. What they hold stays in the
  /// file and is there when they are touched again; any thread may do that at any time.
  void drop(std::size_t offset, std::size_t bytes) const;

 private:
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// A regular file mapped for reading. A file that another program cuts short meanwhile ends the process
/// (SIGBUS), as with every memory map.
class MappedFile final {
 public:
  /// Throws UsageError if `path` is missing, not readable, or no regular file.
  explicit MappedFile(const std::string& path);

  const std::string& path() const { return path_; }
  std::span<const std::byte> bytes() const { return {map_.data(), map_.size()}; }
  const Mapping& mapping() const { return map_; }

 private:
  std::string path_;
  Mapping map_;
};

}  // namespace loadshare
