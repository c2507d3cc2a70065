#pragma once

#include <vector>

#include "schedulers/types.hpp"

namespace loadshare::tool {

/// Chunks of one width, computed on this processor.
struct ChunkTimes {
  Index columns = 0;
  std::vector<double> seconds;
};

/// Widths from 1 to at most `size`, two an octave: 1, 2, 3, 4, 6, 8, 12, ...
std::vector<Index> chunk_widths(Index size);

/// Multiplies a square matrix of `size` by chunks of the widths above with matmul's own kernel, each width
/// once a round and every round in another order, so that a disturbance meets all alike; `repetitions`
/// rounds, or fewer where they would take longer than `budget_s`.
std::vector<ChunkTimes> measure_chunks(Index size, Index repetitions, double budget_s, Index seed);

}  // namespace loadshare::tool
