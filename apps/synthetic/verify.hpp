#pragma once

#include "apps/synthetic/workload.hpp"

namespace loadshare::synthetic {

/// Recomputes all inputs and results from the seed, and compares. `memory` is the master's.
LoopCheck verify(const LoopSizes& sizes, const LoopMemory& memory);

}  // namespace loadshare::synthetic
