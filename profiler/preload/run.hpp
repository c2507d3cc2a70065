#pragma once

#include "profiler/preload/ticks.hpp"

namespace loadshare::profile {

/// After MPI_Init, on every rank: agrees on the file, opens it, and begins to record this thread. Where that
/// fails on any rank one of them says why, and the program goes on unprofiled. `before` is from before
/// MPI_Init.
void begin_run(const ClockPair& before);

/// At the entry to MPI_Finalize, on the recorded thread.
void end_run();

/// From now on the rank's slot tells when the process ended, and by what, where it gets to tell: by a signal
/// that the program leaves to the system, or by exit() or _exit(). A handler of the program's own is never
/// replaced. And every 50 ms it tells that the process lives: SIGKILL, which mpirun sends right behind its
/// SIGTERM, leaves no time.
void watch_for_the_end();

/// It ends here, by this signal (0: by itself).
void sign_off(int signal);

}  // namespace loadshare::profile
