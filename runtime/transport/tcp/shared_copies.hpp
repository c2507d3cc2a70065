#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>

#include "runtime/transport/tcp/frame.hpp"

namespace loadshare::tcp {

/// By what a piece of the shared input is known, whoever holds it: 128 bits of XXH3 of its bytes.
struct ContentHash {
  std::uint64_t low = 0, high = 0;
  friend auto operator<=>(const ContentHash&, const ContentHash&) = default;
};

ContentHash content_hash(ByteView bytes);

/// Where a process of this host holds something. Process 0: nowhere.
struct HeldAt {
  std::uint32_t process = 0;  ///< its number on its host
  std::uint64_t address = 0;  ///< in its memory
};

/// What this process knows to be in its own memory, and what it can read of others' of its host, so that a
/// host gets the shared input once. Nothing is believed: what was read counts where its hash is right.
class SharedCopies {
 public:
  SharedCopies();

  HeldAt held_at(ByteView place) const { return {process_, reinterpret_cast<std::uint64_t>(place.data())}; }

  /// Brings what has this hash to `place`, from this process's own memory or from there. Returns whether it
  /// is here.
  bool fetch(const ContentHash& hash, std::span<std::byte> place, const HeldAt& other);
  /// What has this hash lies here.
  void remember(const ContentHash& hash, ByteView place);

 private:
  static constexpr std::size_t most_remembered = std::size_t{1} << 16;

  std::uint32_t process_;
  std::map<ContentHash, std::uint64_t> addresses_;
};

}  // namespace loadshare::tcp
