#include "runtime/dispatch/shared_units.hpp"

#include <algorithm>

namespace loadshare {

namespace {
std::size_t ceil_div(std::size_t a, std::size_t b) {
  return (a + b - 1) / b;
}
}  // namespace

SharedUnits::SharedUnits(std::size_t total_bytes, std::size_t piece_bytes)
    : total_bytes_(total_bytes),
      piece_bytes_(piece_bytes),
      pieces_(total_bytes == 0 ? 0 : ceil_div(total_bytes, piece_bytes)),
      unit_bytes_(std::clamp(total_bytes / units_aimed_at, least_bytes, most_bytes)) {
  if (pieces_ == 0) return;
  if (piece_bytes <= unit_bytes_) {
    pieces_per_unit_ = unit_bytes_ / piece_bytes;
    unit_bytes_ = pieces_per_unit_ * piece_bytes;
    count_ = ceil_div(pieces_, pieces_per_unit_);
  } else {
    units_per_piece_ = ceil_div(piece_bytes, unit_bytes_);
    count_ = (pieces_ - 1) * units_per_piece_ + units_of(pieces_ - 1);
  }
}

SharedUnits::Pieces SharedUnits::pieces_of(std::size_t unit) const {
  const std::size_t first = unit / units_per_piece_ * pieces_per_unit_;
  return {first, std::min(first + pieces_per_unit_, pieces_)};
}

std::size_t SharedUnits::first_credits(std::size_t hosts) const {
  constexpr std::size_t bytes_under_way = std::size_t{1} << 20;
  constexpr std::size_t least = 4, most = 16;
  return std::clamp(bytes_under_way / (hosts * unit_bytes_), least, most);
}

std::size_t SharedUnits::bytes_of_piece(std::size_t piece) const {
  return std::min(piece_bytes_, total_bytes_ - piece * piece_bytes_);
}

std::size_t SharedUnits::units_of(std::size_t piece) const {
  return ceil_div(bytes_of_piece(piece), unit_bytes_);
}

std::span<std::byte> SharedUnits::bytes_of(std::size_t unit, std::span<std::byte> shared_input) const {
  const Pieces pieces = pieces_of(unit);
  const std::size_t end = std::min(pieces.end * piece_bytes_, total_bytes_);
  const std::size_t first = pieces.first * piece_bytes_ + unit % units_per_piece_ * unit_bytes_;
  return shared_input.subspan(first, std::min(unit_bytes_, end - first));
}

}  // namespace loadshare
