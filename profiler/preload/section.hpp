#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "profiler/format.hpp"
#include "profiler/preload/descriptors.hpp"

namespace loadshare::profile {

/// Why something could not be done, for people: `problem (why)`. Of a fixed size, as ranks send it to each
/// other.
struct Trouble {
  std::array<char, 512> text{};
  explicit operator bool() const { return text[0] != 0; }
};

/// With `path` in the problem and what errno says as the reason.
Trouble trouble(const char* problem, const char* path, int error_number);
Trouble trouble(const char* problem, const char* path, const char* why);

/// One rank's hands on the file that the ranks of its kernel share. Its header and its slot are mapped, so
/// that what is stored there stays whatever becomes of the rank; blocks are appended. Nothing here throws,
/// and nothing touches a page of the file before the disk has room for it.
class Section final {
 public:
  using Path = std::array<char, 1024>;

  /// Keeps other runs from `path`. If a run of the same command has taken it, a number is appended
  /// (`path.2`). If a run of another command is writing it, that is an error.
  Trouble reserve(Path& path, std::uint64_t command_id);
  /// Makes a file next to the reserved path, with room for so many slots. take_place() renames it to that
  /// path.
  Trouble create(std::uint64_t run_id, std::uint64_t command_id, std::uint32_t slots, std::uint32_t ranks);
  /// Opens what another rank has created, and maps the slot.
  Trouble join(const char* made, std::uint32_t slot);
  Trouble take_place();
  /// There will be no profile: takes back what create() left.
  void discard();

  /// The file as it is called before take_place(), absolute.
  const Path& made() const { return made_; }
  SectionHeader& header() { return *header_; }
  Slot& slot() { return *slot_; }
  std::uint64_t bytes() const { return header_->end.load(); }

  /// What this rank may append, all in all.
  void allow(std::uint64_t bytes) { bytes_left_ = bytes; }
  std::uint64_t bytes_left() const { return bytes_left_; }
  /// Appends header and content; false where there was no room.
  bool append(const BlockHeader& block, const void* content);
  bool read(void* to, std::size_t bytes, std::uint64_t offset) const;
  bool write(const void* from, std::size_t bytes, std::uint64_t offset) const;
  /// Takes back what stands behind.
  void cut(std::uint64_t bytes) const;
  /// The file is elsewhere now.
  void remove();

 private:
  Trouble lock_old(const Path& path, std::uint64_t command_id);
  Trouble claim(std::uint64_t bytes);
  Trouble map(std::uint32_t slot);

  Path made_{};
  Path taken_{};  ///< its name since take_place(), absolute
  int file_ = -1;
  int old_ = -1;  ///< what stood in the way when the run began; locked until ours stands there
  Path old_path_{};
  bool made_old_ = false;  ///< it was not there before
  FileIdentity identity_;
  std::uint64_t bytes_left_ = 0;  ///< that append() may still take
  SectionHeader* header_ = nullptr;
  Slot* slot_ = nullptr;
};

}  // namespace loadshare::profile
