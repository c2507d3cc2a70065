#pragma once

#include "profiler/preload/ticks.hpp"

namespace loadshare::profile {

/// After MPI_Init, on every rank: agrees on the file, opens it, and begins to record this thread. Where that
/// fails on any rank one of them says why, and the program goes on unprofiled. `before` is from before
/// MPI_Init.
void begin_run(const ClockPair& before);

/// At the entry to MPI_Finalize, on the recorded thread.
void end_run();

}  // namespace loadshare::profile
