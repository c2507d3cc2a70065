#pragma once

#include <array>
#include <cstdint>

#include "runtime/profile/format.hpp"

namespace loadshare::profile {

/// Where calls are made from: return addresses, numbered as they are first seen, with a text for people in
/// the rank's slot. Beyond what there is room for a place is 0, not known.
class Places final {
 public:
  void write_to(Slot& slot) { slot_ = &slot; }

  std::uint32_t number_of(const void* address) {
    const Entry& entry = entries_[first_try(address)];
    return entry.address == address ? entry.number : find_or_add(address);
  }

 private:
  struct Entry {
    const void* address = nullptr;
    std::uint32_t number = 0;
  };
  static constexpr std::size_t capacity = 4096;  // a power of 2

  static std::size_t first_try(const void* address) {
    return (reinterpret_cast<std::uintptr_t>(address) * 0x9e3779b97f4a7c15U) >> 52;
  }
  std::uint32_t find_or_add(const void* address);
  std::uint32_t add_text(const void* address);

  Slot* slot_ = nullptr;
  std::size_t used_ = 0;
  std::size_t text_end_ = 0;
  std::array<Entry, capacity> entries_{};
};

}  // namespace loadshare::profile
