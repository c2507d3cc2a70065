#pragma once

#include <functional>
#include <vector>

#include "base/types.hpp"

namespace loadshare::tool {

/// Chunks of one width, computed on this processor.
struct ChunkTimes {
  Index columns = 0;
  std::vector<double> seconds;
};

/// Widths from 1 to at most `size`, two an octave: 1, 2, 3, 4, 6, 8, 12, ...
std::vector<Index> chunk_widths(Index size);

/// How often chunks are computed.
struct ChunkPlan {
  Index repetitions = 30;
  double budget_s = 5;
  Index seed = 1;  ///< of the order
};

/// Computes chunks of so many columns, each width once a round and every round in another order, so that a
/// background_load meets all alike; as many rounds as are planned, or fewer, at least one, where they would
/// take longer than the budget. Widths of which not even one round would fit are left out, but for the first.
/// `widths` in order; `seconds_for` computes one chunk and says how long it took.
std::vector<ChunkTimes> time_chunks(const std::vector<Index>& widths,
                                    const std::function<double(Index)>& seconds_for, const ChunkPlan& plan);

/// The same with matmul's own kernel and a square matrix of `size`.
std::vector<ChunkTimes> measure_chunks(Index size, const ChunkPlan& plan);

}  // namespace loadshare::tool
