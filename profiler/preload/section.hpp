#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "profiler/format.hpp"
#include "profiler/preload/descriptors.hpp"

namespace loadshare::profile {

/// An error message: `problem (why)`. It has a fixed size, because ranks send it to each other.
struct Trouble {
  std::array<char, 512> text{};
  explicit operator bool() const { return text[0] != 0; }
};

/// Makes a message with `path` in the problem, and with errno's text as the reason.
Trouble trouble(const char* problem, const char* path, int error_number);
Trouble trouble(const char* problem, const char* path, const char* why);

/// One rank's access to the file that the ranks of its kernel share. The header and the rank's slot are
/// mapped, so what is stored there survives the rank. Blocks are appended. No function throws, and none
/// accesses a mapped page before the disk has room for it.
class Section final {
 public:
  using Path = std::array<char, 1024>;

  /// Keeps other runs from `path`. If a run of the same command has taken it, a number is appended
  /// (`path.2`). If a run of another command is writing it, that is an error.
  Trouble reserve(Path& path, std::uint64_t command_id);
  /// Creates a file next to the reserved path, with this number of slots. take_place() renames it to that
  /// path.
  Trouble create(std::uint64_t run_id, std::uint64_t command_id, std::uint32_t slots, std::uint32_t ranks);
  /// Opens the file that another rank has created, and maps the slot.
  Trouble join(const char* made, std::uint32_t slot);
  /// Renames the created file to the reserved path.
  Trouble take_place();
  /// Removes the file that create() made, because there will be no profile.
  void discard();

  /// Returns the file's absolute path before take_place().
  const Path& made() const { return made_; }
  SectionHeader& header() { return *header_; }
  Slot& slot() { return *slot_; }
  std::uint64_t bytes() const { return header_->end.load(); }

  /// Sets the number of bytes that this rank may append in total.
  void allow(std::uint64_t bytes) { bytes_left_ = bytes; }
  std::uint64_t bytes_left() const { return bytes_left_; }
  /// Appends header and content. Returns false if there is no room.
  bool append(const BlockHeader& block, const void* content);
  bool read(void* to, std::size_t bytes, std::uint64_t offset) const;
  bool write(const void* from, std::size_t bytes, std::uint64_t offset) const;
  /// Cuts the file to this length.
  void cut(std::uint64_t bytes) const;
  /// Removes the file, which has been merged into another.
  void remove();

 private:
  Trouble lock_old(const Path& path, std::uint64_t command_id);
  Trouble claim(std::uint64_t bytes);
  Trouble map(std::uint32_t slot);

  Path made_{};
  Path taken_{};  ///< absolute path after take_place()
  int file_ = -1;
  int old_ = -1;  ///< the earlier file of that name, locked until the new one replaces it
  Path old_path_{};
  bool made_old_ = false;  ///< the earlier file was created for the lock only
  FileIdentity identity_;
  std::uint64_t bytes_left_ = 0;  ///< bytes that append() may still write
  SectionHeader* header_ = nullptr;
  Slot* slot_ = nullptr;
};

}  // namespace loadshare::profile
