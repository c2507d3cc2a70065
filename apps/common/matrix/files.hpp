#pragma once

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "apps/common/matrix/sizes.hpp"

namespace loadshare {

/// Owner of a file descriptor.
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

/// An open file mapped into memory. Its pages are loaded when touched and leave the process with `drop`, so
/// that one pass over a large file needs little memory.
class Mapping final {
 public:
  Mapping() = default;

  /// Maps `bytes` bytes. An empty file gives an empty mapping. Throws UsageError naming `name`.
  Mapping(const FileDescriptor& file, std::size_t bytes, Access access, std::string_view name);
  Mapping(Mapping&& other) noexcept;
  Mapping& operator=(Mapping&& other) noexcept;
  ~Mapping();

  std::byte* data() const { return data_; }
  std::size_t size() const { return bytes_; }

  /// Returns pages that are no longer needed, from `offset` on, to the system. Their content stays in the
  /// file and is loaded again when touched. Any thread may call it at any time.
  void drop(std::size_t offset, std::size_t bytes) const;

 private:
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// A regular file mapped for reading. If another program truncates the file meanwhile, SIGBUS ends the
/// process, as with every memory map.
class MappedFile final {
 public:
  /// Throws UsageError if `path` is missing, unreadable or not a regular file.
  explicit MappedFile(const std::string& path);

  const std::string& path() const { return path_; }
  std::span<const std::byte> bytes() const { return {map_.data(), map_.size()}; }
  const Mapping& mapping() const { return map_; }

 private:
  std::string path_;
  Mapping map_;
};

/// A temporary file name that is removed with its object, unless it was given up.
class PartName final {
 public:
  PartName() = default;
  explicit PartName(std::string path) : path_(std::move(path)) {}
  PartName(PartName&& other) noexcept : path_(std::move(other.path_)) { other.path_.clear(); }
  PartName& operator=(PartName&& other) noexcept {
    path_.swap(other.path_);
    return *this;
  }
  ~PartName();

  const std::string& path() const { return path_; }
  bool exists() const { return !path_.empty(); }
  void give_up() { path_.clear(); }

 private:
  std::string path_;
};

/// An output file of known size, written as memory. It is not visible before it is complete.
///
/// The constructor finds possible errors before the work begins: no such directory, no permission, no space
/// (all of it is reserved), or a target that is not a regular file. An existing file stays unchanged until
/// `commit`. If the file system supports it (O_TMPFILE), the new file has no name until then, so that even a
/// killed process leaves nothing behind. Otherwise its name is `.NAME.part-PID`. Symbolic links are followed.
class OutputFile final {
 public:
  /// Throws UsageError.
  OutputFile(const std::string& path, Bytes bytes);

  const std::string& path() const { return path_; }
  std::byte* data() const { return map_.data(); }
  Bytes size() const { return map_.size(); }

  /// Marks these bytes as final: the system may write them to disk and unmap them from the process.
  void written(std::size_t offset, std::size_t bytes) const;

  /// Puts the complete file in its place, with the mode and, if permitted, the owner of the file it replaces.
  /// Throws Error (run_failed) if the disk reports an error; the old file then stays unchanged.
  void commit();

 private:
  [[noreturn]] void cannot_commit(int error) const;
  void keep_mode() const;
  void put_in_place();

  std::string path_;    // as given by the user
  std::string target_;  // after following symbolic links
  std::optional<mode_t> old_mode_;
  PartName part_;
  FileDescriptor file_;
  Mapping map_;
};

}  // namespace loadshare
