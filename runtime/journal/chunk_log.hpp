#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/io/descriptor.hpp"
#include "base/quantities.hpp"
#include "base/types.hpp"

namespace loadshare {

/// A number that tells contents apart (XXH3, 64 bits); not for secrets.
std::uint64_t content_hash(std::span<const std::byte> bytes, std::uint64_t seed = 0);

/// Waits until what a file or a folder holds is on the disk. Throws UsageError.
void sync_path(const std::string& path);
/// The same of a name: it is on the disk when its folder is.
void sync_name(const std::string& path);

/// Which way to a file: what goes through the kernel's cache is there at once and costs the processor more.
enum class Way { through_cache, past_cache };

/// A finished chunk and its results.
struct FinishedChunk {
  Chunk chunk;
  std::span<const std::byte> results;
};

/// Finished chunks in a file that only grows: a head that says what they belong to, then a record a chunk
/// with its length, its results and a checksum of all that and of where it stands. A record that was not
/// written whole, or is damaged, ends what can be read, so the file may be cut anywhere. Bytes lie as in
/// memory: a log is for processors of one kind.
class ChunkLog final {
 public:
  /// A new log, which appears complete with its head, on the disk, or not at all; an old file is replaced.
  /// Throws UsageError where it cannot be made.
  static ChunkLog create(const std::string& path, const std::string& about);
  /// One that is there. Throws UsageError where it cannot be read, or its head is damaged or no log's.
  explicit ChunkLog(const std::string& path);

  const std::string& about() const { return about_; }

  /// Calls `take` for each record, in the order they were written, until it returns false or the records
  /// end; from there on the file is cut off. Throws Error where that cannot be done.
  void recover(const std::function<bool(const FinishedChunk&)>& take);
  /// Asks for room on the disk for so many bytes more, which makes writing them cheap, where twice as much is
  /// free: a run that is killed gives nothing back. Where there is no room, writing them will tell.
  void reserve(Bytes bytes) const;
  /// Returns 0, or the errno that stopped it; the log is then as it was. `way`: of much; where the file
  /// system has no other, and of little, it is the cache.
  int append(std::span<const FinishedChunk> chunks, Way way = Way::through_cache);
  /// Waits until what was appended is on the disk (fdatasync). Returns 0 or the errno.
  int sync() const;
  /// What has become of the file, though it is open: somebody removed it, or cut off what was appended;
  /// empty: nothing. Before more is appended, for that would fill the gap.
  std::string damage() const;
  /// Gives back what was reserved and not used.
  void trim() const;

 private:
  ChunkLog(Descriptor file, std::string path, std::string about);
  std::uint64_t checksum(const FinishedChunk& finished, std::uint64_t offset) const;
  int append_some(std::span<const FinishedChunk> chunks, Way way);
  int write(std::span<iovec> parts, Bytes bytes, Way way);

  Descriptor file_;
  Descriptor direct_;  // the same past the cache; none where that cannot be
  std::string path_;
  std::string about_;
  std::uint64_t seed_ = 0;  // of checksums: no other log's record fits
  std::uint64_t end_ = 0;   // bytes
};

}  // namespace loadshare
