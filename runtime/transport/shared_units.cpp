#include "runtime/transport/shared_units.hpp"

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
      unit_bytes_(std::clamp(total_bytes / units_aimed_at, least_bytes, most_bytes)),
      per_piece_(std::max<std::size_t>(1, ceil_div(piece_bytes, unit_bytes_))) {
  const std::size_t pieces = total_bytes == 0 ? 0 : ceil_div(total_bytes, piece_bytes);
  count_ = pieces == 0 ? 0 : (pieces - 1) * per_piece_ + units_in(pieces - 1);
}

std::size_t SharedUnits::bytes_of_piece(std::size_t piece) const {
  return std::min(piece_bytes_, total_bytes_ - piece * piece_bytes_);
}

std::size_t SharedUnits::units_in(std::size_t piece) const {
  return ceil_div(bytes_of_piece(piece), unit_bytes_);
}

SharedUnits::Range SharedUnits::range_of(std::size_t unit) const {
  const std::size_t piece = piece_of(unit);
  const std::size_t within = (unit % per_piece_) * unit_bytes_;
  return {piece * piece_bytes_ + within, std::min(unit_bytes_, bytes_of_piece(piece) - within)};
}

}  // namespace loadshare
