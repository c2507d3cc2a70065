#pragma once

#include <cstddef>
#include <span>

namespace loadshare {

/// How the shared input is cut for its way to other hosts: each piece into units that are sent, and passed
/// on, one by one. Small, so that a unit is soon at the next host; not so small that messages cost more than
/// bytes.
class SharedUnits {
 public:
  static constexpr std::size_t least_bytes = std::size_t{32} << 10;  // within what MPI sends over TCP at once
  static constexpr std::size_t most_bytes = std::size_t{4} << 20;
  static constexpr std::size_t units_aimed_at = 256;

  /// `total_bytes` in pieces of `piece_bytes` (the last may be shorter).
  SharedUnits(std::size_t total_bytes, std::size_t piece_bytes);

  std::size_t count() const { return count_; }
  std::size_t unit_bytes() const { return unit_bytes_; }
  std::size_t piece_of(std::size_t unit) const { return unit / per_piece_; }
  std::size_t units_in(std::size_t piece) const;
  /// The unit's bytes within those of the whole shared input.
  template <class Byte>
  std::span<Byte> of(std::span<Byte> shared_input, std::size_t unit) const {
    const Range range = range_of(unit);
    return shared_input.subspan(range.first, range.size);
  }

 private:
  struct Range {
    std::size_t first;
    std::size_t size;
  };
  Range range_of(std::size_t unit) const;
  std::size_t bytes_of_piece(std::size_t piece) const;

  std::size_t total_bytes_;
  std::size_t piece_bytes_;
  std::size_t unit_bytes_;
  std::size_t per_piece_;
  std::size_t count_;
};

}  // namespace loadshare
