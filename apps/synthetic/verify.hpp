#pragma once

#include "apps/synthetic/workload.hpp"

namespace loadshare::synthetic {

/// Makes all inputs and results again from the seed, and compares; `memory` is the master's.
LoopCheck verify(const LoopSizes& sizes, const LoopMemory& memory);

}  // namespace loadshare::synthetic
