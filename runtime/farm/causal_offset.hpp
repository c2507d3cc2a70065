#pragma once

#include <vector>

#include "runtime/timing/records.hpp"

namespace loadshare {

/// Corrects an estimate of how far a worker's clock is ahead of the master's by what cannot be: no chunk is
/// received before it was assigned, and none returns before it has ended. `chunks` hold the worker's stamps
/// on its own clock and the master's on the master's; other workers' chunks are passed over. Where the
/// chunks contradict each other (the clocks drifted), the estimate stays.
double causal_offset_s(double estimate_s, const std::vector<ChunkRecord>& chunks, WorkerId worker);

}  // namespace loadshare
