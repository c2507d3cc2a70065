#pragma once

#include <algorithm>
#include <vector>

#include "base/types.hpp"

namespace loadshare::spmd {

/// A part of a range that is divided among ranks.
using Part = Chunk;

/// Returns part `index` of [0, size) in `parts` parts whose sizes differ by at most one, the longer ones
/// first.
constexpr Part part_of(Index size, Index parts, Index index) {
  const Index least = size / parts;
  const Index longer = size % parts;
  return {index * least + std::min(index, longer), least + (index < longer ? 1 : 0)};
}

/// Returns the size of the longest part.
constexpr Index longest_part(Index size, Index parts) {
  return part_of(size, parts, 0).size;
}

/// Returns the part that contains `element`.
constexpr Index owner_of(Index size, Index parts, Index element) {
  const Index least = size / parts;
  const Index longer = size % parts;
  const Index in_longer = longer * (least + 1);
  return element < in_longer ? element / (least + 1) : longer + (element - in_longer) / least;
}

/// Returns the sizes of all parts in units of `unit`, for MPI's scatter and gather.
inline std::vector<Index> part_sizes(Index size, Index parts, Index unit = 1) {
  std::vector<Index> sizes;
  for (Index index = 0; index < parts; ++index) sizes.push_back(part_of(size, parts, index).size * unit);
  return sizes;
}

}  // namespace loadshare::spmd
