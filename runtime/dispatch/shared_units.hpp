#pragma once

#include <cstddef>
#include <span>

namespace loadshare {

/// How the shared input is cut for its way to other hosts: into units that are sent, and passed on, one by
/// one. Small, so that a unit is soon at the next host; not so small that messages cost more than bytes. A
/// unit is a part of one piece, or, where pieces are small, several whole ones.
class SharedUnits {
 public:
  static constexpr std::size_t least_bytes = std::size_t{32} << 10;  // what MPI sends over TCP at once
  static constexpr std::size_t most_bytes = std::size_t{4} << 20;
  static constexpr std::size_t units_aimed_at = 256;

  /// Pieces [first, end).
  struct Pieces {
    std::size_t first;
    std::size_t end;
    bool operator==(const Pieces&) const = default;
  };

  /// `total_bytes` in pieces of `piece_bytes` (the last may be shorter).
  SharedUnits(std::size_t total_bytes, std::size_t piece_bytes);

  std::size_t count() const { return count_; }
  /// Of a whole unit; those at the end of a piece may be shorter.
  std::size_t unit_bytes() const { return unit_bytes_; }
  std::size_t pieces() const { return pieces_; }
  /// The pieces that the unit holds, or the one that it is a part of.
  Pieces pieces_of(std::size_t unit) const;
  /// How many may be under way to each of so many hosts at first: enough to keep its wire busy until the
  /// master hears of the first.
  std::size_t first_credits(std::size_t hosts) const;
  /// How many units must be there for the piece to be whole.
  std::size_t units_of(std::size_t piece) const;
  /// The unit's bytes within those of the whole shared input.
  std::span<std::byte> bytes_of(std::size_t unit, std::span<std::byte> shared_input) const;

 private:
  std::size_t bytes_of_piece(std::size_t piece) const;

  std::size_t total_bytes_;
  std::size_t piece_bytes_;
  std::size_t pieces_;
  std::size_t unit_bytes_;
  std::size_t pieces_per_unit_ = 1;
  std::size_t units_per_piece_ = 1;
  std::size_t count_ = 0;
};

}  // namespace loadshare
