#pragma once

#include "apps/common/memory_check.hpp"
#include "apps/loadshare/calibrate/calibrate.hpp"

namespace loadshare::tool {

/// Throws UsageError where a pair on this host cannot have the memory that its messages take, a rank of so
/// many that of its collective calls, or a rank that of the matrices. To be called before any of it is taken.
void require_memory_for(const CalibrateOptions& options, int ranks, int ranks_here,
                        const MemorySources& sources = {});

}  // namespace loadshare::tool
