#pragma once

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "apps/common/matrix/sizes.hpp"

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

/// A temporary name that disappears with its object unless it was given up.
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

/// Where a result goes: a file of known size, written as memory, that nobody sees before it is complete.
///
/// The constructor finds out whatever can be wrong before the work begins: no such directory, no permission,
/// no space (all of it is reserved at once), a target that is no regular file. Until `commit` a file that was
/// there stays as it was. The new one has no name until then where the file system can do that (O_TMPFILE),
/// so that even a killed process leaves nothing; elsewhere it is `.NAME.part-PID`. A symbolic link is
/// followed.
class OutputFile final {
 public:
  /// Throws UsageError.
  OutputFile(const std::string& path, Bytes bytes);

  const std::string& path() const { return path_; }
  std::byte* data() const { return map_.data(); }
  Bytes size() const { return map_.size(); }

  /// Says that these bytes are written for good: the system may put them on disk and the process forget them.
  void written(std::size_t offset, std::size_t bytes) const;

  /// Puts the complete file in its place; a file that was there gives it its mode and, if allowed, its owner.
  /// Throws Error (run failed) if the disk reports one, and leaves the place as it was then.
  void commit();

 private:
  [[noreturn]] void cannot_commit(int error) const;
  void keep_mode() const;
  void put_in_place();

  std::string path_;    // as the user wrote it
  std::string target_;  // with symbolic links followed
  std::optional<mode_t> old_mode_;
  PartName part_;
  FileDescriptor file_;
  Mapping map_;
};

}  // namespace loadshare
