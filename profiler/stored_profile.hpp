#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "profiler/format.hpp"

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

// No clock counts further: 12 years of a counter at 3 GHz, 9 years of nanoseconds. So sums and differences of
// some of them never overflow.
inline constexpr std::uint64_t most_ticks = std::uint64_t{1} << 60;
inline constexpr std::int64_t most_ns = std::int64_t{1} << 58;

inline bool is_sane_ns(std::int64_t ns) {
  return -most_ns <= ns && ns <= most_ns;
}

/// Throws UsageError: the profile `path` cannot be read.
[[noreturn]] void refuse(const std::string& path, const std::string& why,
                         const char* suggestion = "repeat the run");

/// A whole block in a file.
struct StoredBlock {
  const BlockHeader* header;
  const std::byte* content;

  std::span<const StoredEvent> events() const {
    return {reinterpret_cast<const StoredEvent*>(content), header->count};
  }
};

/// What one kernel's ranks left.
struct StoredSection {
  const SectionHeader* header;
  std::vector<const Slot*> slots;  ///< of ranks that have begun
  std::vector<StoredBlock> blocks;
  bool is_short = false;  ///< the file ends before the last block does
};

/// The files of one run, checked: every number in them that says where something is leads to where it may be,
/// and no time of a rank is one that no clock tells. (Those of events are checked as they are read.)
/// Throws UsageError where a file is no profile, of another version, too short, or of several runs.
class StoredProfile final {
 public:
  /// With the parts of other kernels that lie beside `path`, where they were not taken in.
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
