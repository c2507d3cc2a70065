#pragma once

#include <cstddef>
#include <span>

namespace loadshare {

/// Touches every page now, so that no run pays for page faults. Returns 0, or an error number.
int populate(std::span<std::byte> memory);

/// When memory's pages are taken from the system.
enum class Pages { at_once, when_used };

/// Zeroed, page-aligned memory of this process.
class PrivateMemory {
 public:
  /// Throws Error(run_failed) with the figure when the system has no room.
  explicit PrivateMemory(std::size_t bytes, Pages pages = Pages::at_once);
  ~PrivateMemory();
  PrivateMemory(PrivateMemory&& other) noexcept;
  PrivateMemory& operator=(PrivateMemory&&) = delete;

  std::span<std::byte> bytes() const { return bytes_; }

 private:
  std::span<std::byte> bytes_;
};

}  // namespace loadshare
