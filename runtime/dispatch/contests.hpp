#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "base/types.hpp"

namespace loadshare {

/// What both have; empty where that is nothing.
constexpr Chunk intersection(Chunk a, Chunk b) {
  const Index first = std::max(a.first, b.first), end = std::min(a.end(), b.end());
  return first < end ? Chunk{first, end - first} : Chunk{first, 0};
}

/// What of `a` lies outside of `b`: none, one or two ranges.
std::vector<Chunk> difference(Chunk a, Chunk b);

/// A range that more than one worker computes: given again at the tail, or because its worker fell silent,
/// and perhaps cut anew. The first result of each iteration counts.
struct Contest {
  std::vector<Chunk> open;             ///< what nobody has returned yet; ascending
  std::vector<std::uint32_t> holders;  ///< slots of those who have a part of it
  std::uint8_t failures = 0;           ///< workers that failed on it: it is not copied any more then
  bool is_queued = false;              ///< waits to be copied again
  bool is_free = false;                ///< its number may be used again

  /// How many of the open iterations lie in `chunk`.
  Index open_in(Chunk chunk) const;
  /// Takes what is open of `chunk`: these parts have been returned first. Ascending.
  std::vector<Chunk> close(Chunk chunk);
};

/// The contests of a loop, by small numbers that are used again.
class Contests {
 public:
  static constexpr std::uint32_t none = UINT32_MAX;

  std::uint32_t add(Chunk chunk, std::uint32_t holder);
  Contest& operator[](std::uint32_t number) { return contests_[number]; }
  const Contest& operator[](std::uint32_t number) const { return contests_[number]; }
  /// Keeps the number for another where nothing is open and nobody holds a part.
  void release_if_over(std::uint32_t number);

 private:
  std::vector<Contest> contests_;
  std::vector<std::uint32_t> free_;
};

}  // namespace loadshare
