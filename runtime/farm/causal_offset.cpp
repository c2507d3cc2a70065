#include "runtime/farm/causal_offset.hpp"

#include <algorithm>
#include <limits>

namespace loadshare {

double causal_offset_s(double estimate_s, const std::vector<ChunkRecord>& chunks, WorkerId worker) {
  double least_s = -std::numeric_limits<double>::infinity();
  double most_s = std::numeric_limits<double>::infinity();
  for (const ChunkRecord& chunk : chunks) {
    if (chunk.worker != worker) continue;
    least_s = std::max(least_s, chunk.ended_s - chunk.returned_s);
    most_s = std::min(most_s, chunk.received_s - chunk.assigned_s);
  }
  return least_s > most_s ? estimate_s : std::clamp(estimate_s, least_s, most_s);
}

}  // namespace loadshare
