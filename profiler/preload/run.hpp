#pragma once

#include "profiler/preload/ticks.hpp"

namespace loadshare::profile {

/// Begins the profile after MPI_Init, on every rank: the ranks agree on the file, open it and record their
/// threads. If that fails on any rank, one rank prints the reason, and the program continues without a
/// profile. `before` is a reading from before MPI_Init.
void begin_run(const ClockPair& before);

/// Ends the profile at the start of MPI_Finalize, on the recorded thread.
void end_run();

/// From now on, records in the rank's slot when and how the process ends: by exit(), by _exit(), or by a
/// signal with the default action. Handlers of the program are never replaced. Also writes a heartbeat every
/// 50 ms, because SIGKILL, which mpirun sends shortly after SIGTERM, cannot be handled.
void start_watching_for_end();

/// Records that the process ends now, by this signal (0: by itself).
void record_end(int signal);

}  // namespace loadshare::profile
