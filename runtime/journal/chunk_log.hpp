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

/// Returns a hash of the contents (XXH3, 64 bits), which is not cryptographic.
std::uint64_t content_hash(std::span<const std::byte> bytes, std::uint64_t seed = 0);

/// Waits until the contents of a file or folder are on the disk. Throws UsageError.
void sync_path(const std::string& path);
/// Waits until a file's name is on the disk, by syncing its folder.
void sync_name(const std::string& path);

/// How bytes are written to a file. Through the kernel's cache they are readable immediately, at the cost of
/// more processor time.
enum class Way { through_cache, past_cache };

/// A finished chunk and its results.
struct FinishedChunk {
  Chunk chunk;
  std::span<const std::byte> results;
};

/// A file of finished chunks that only grows. Its format:
/// 1. a LogHead: a magic number, the length of the description, and the description's checksum;
/// 2. the description of the job that the chunks belong to;
/// 3. one record per chunk: a RecordHead (first iteration, size, number of result bytes, checksum) and the
///    results. The checksum covers the description, the head, the record's position and the results.
///
/// Reading ends at the first record that is incomplete or damaged, so the file may be cut at any byte. Bytes
/// are stored in the order of the processor: a log is readable on processors of one kind only.
class ChunkLog final {
 public:
  /// Creates a log that appears on the disk with a complete head, or not at all. Replaces an earlier file.
  /// Throws UsageError if that fails.
  static ChunkLog create(const std::string& path, const std::string& about);
  /// Opens an existing log. Throws UsageError if it cannot be read, has a damaged head, or is not a log.
  explicit ChunkLog(const std::string& path);

  const std::string& about() const { return about_; }

  /// Calls `take` for each record in the order of writing, until it returns false or the records end. Cuts
  /// the file off there. Throws Error if that fails.
  void recover(const std::function<bool(const FinishedChunk&)>& take);
  /// Reserves room on the disk for `bytes` more, which makes later writing cheap. Does nothing unless twice
  /// as much is free, because a killed run never releases its reservation. Lack of room shows when the bytes
  /// are written.
  void reserve(Bytes bytes) const;
  /// Appends records. Returns 0 or the errno; after an error the log is unchanged. `way` applies to large
  /// amounts on file systems that support it; all other writes go through the cache.
  int append(std::span<const FinishedChunk> chunks, Way way = Way::through_cache);
  /// Waits until the appended records are on the disk (fdatasync). Returns 0 or the errno.
  int sync() const;
  /// Returns how the open file was damaged: removed, or cut shorter than the appended records; empty: it is
  /// intact. Call before append(), which would hide the gap.
  std::string damage() const;
  /// Releases reserved room that is unused.
  void trim() const;

 private:
  ChunkLog(Descriptor file, std::string path, std::string about);
  std::uint64_t checksum(const FinishedChunk& finished, std::uint64_t offset) const;
  int append_some(std::span<const FinishedChunk> chunks, Way way);
  int write(std::span<iovec> parts, Bytes bytes, Way way);

  Descriptor file_;
  Descriptor direct_;  // the same file past the cache; closed if that is not supported
  std::string path_;
  std::string about_;
  std::uint64_t seed_ = 0;  // of checksums: records of other logs do not match
  std::uint64_t end_ = 0;   // bytes
};

}  // namespace loadshare
