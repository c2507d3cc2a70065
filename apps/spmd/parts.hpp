#pragma once

#include <algorithm>
#include <vector>

#include "base/types.hpp"

namespace loadshare::spmd {

/// A range of something that is split among ranks.
using Part = Chunk;

/// The part `index` of [0, size) in `parts` parts whose sizes differ by one at most, the longer ones first.
constexpr Part part_of(Index size, Index parts, Index index) {
  const Index least = size / parts;
  const Index longer = size % parts;
  return {index * least + std::min(index, longer), least + (index < longer ? 1 : 0)};
}

/// The size of the longest part.
constexpr Index longest_part(Index size, Index parts) {
  return part_of(size, parts, 0).size;
}

/// Which of the parts holds `element`.
constexpr Index owner_of(Index size, Index parts, Index element) {
  const Index least = size / parts;
  const Index longer = size % parts;
  const Index in_longer = longer * (least + 1);
  return element < in_longer ? element / (least + 1) : longer + (element - in_longer) / least;
}

/// The sizes of all parts, each in units of `unit`: what MPI's scatter and gather go by.
inline std::vector<Index> part_sizes(Index size, Index parts, Index unit = 1) {
  std::vector<Index> sizes;
  for (Index index = 0; index < parts; ++index) sizes.push_back(part_of(size, parts, index).size * unit);
  return sizes;
}

}  // namespace loadshare::spmd
