#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "profiler/format.hpp"

namespace loadshare::profile {

/// A file mapped for reading. Throws UsageError if it cannot be read.
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

// Larger times are damage: these are 12 years of a counter at 3 GHz and 9 years of nanoseconds. Sums and
// differences of a few of them never overflow.
inline constexpr std::uint64_t most_ticks = std::uint64_t{1} << 60;
inline constexpr std::int64_t most_ns = std::int64_t{1} << 58;

inline bool is_sane_ns(std::int64_t ns) {
  return -most_ns <= ns && ns <= most_ns;
}

/// Throws UsageError: the profile `path` cannot be read, because of `why`.
[[noreturn]] void refuse(const std::string& path, const std::string& why,
                         const char* suggestion = "profile the program again");

/// A complete block in a file.
struct StoredBlock {
  const BlockHeader* header;
  const std::byte* content;

  std::span<const StoredEvent> events() const {
    return {reinterpret_cast<const StoredEvent*>(content), header->count};
  }
};

/// A section in a file: the ranks of one kernel.
struct StoredSection {
  const SectionHeader* header;
  std::vector<const Slot*> slots;  ///< of the ranks that started to record
  std::vector<StoredBlock> blocks;
  bool is_short = false;  ///< the file ends within the last block
};

/// The checked files of one run. All offsets and counts are within the file, and all times of ranks are
/// possible; those of events are checked when they are read. Throws UsageError if a file is not a profile,
/// has another version, is truncated, or contains several runs.
class StoredProfile final {
 public:
  /// Opens `path`, and the files of other kernels next to it if they were not merged.
  explicit StoredProfile(const std::string& path);
  const std::vector<StoredSection>& sections() const { return sections_; }

 private:
  void take_file(const std::string& path);
  void take_parts(const std::string& path);
  std::size_t ranks_found() const;

  std::vector<std::unique_ptr<FileBytes>> files_;
  std::vector<StoredSection> sections_;
};

}  // namespace loadshare::profile
