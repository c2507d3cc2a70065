#pragma once

#include <algorithm>
#include <cstddef>

#include "schedulers/types.hpp"

namespace loadshare {

/// How much of a file is touched before its pages are dropped: large enough that dropping costs nothing,
/// small beside any matrix that fills memory.
inline constexpr Index piece_bytes = Index{4} << 20;

/// Lines of `line_bytes` bytes in a piece: a multiple of 64, so that transposition works in full tiles.
inline Index lines_in_piece(Index line_bytes) {
  return std::max<Index>(64, piece_bytes / std::max<Index>(line_bytes, 1) / 64 * 64);
}

/// Calls use(first, count) for the lines of one piece after the other.
template <class Use>
void for_each_piece(Index lines, Index line_bytes, Use use) {
  const Index step = lines_in_piece(line_bytes);
  for (Index first = 0; first < lines; first += step) use(first, std::min(step, lines - first));
}

}  // namespace loadshare
