#pragma once

namespace loadshare::profile {

/// From now on the rank's slot tells when the process ended, and by what, where it gets to tell: by a signal
/// that the program leaves to the system, or by exit() or _exit(). A handler of the program's own is never
/// replaced. And every 50 ms it tells that the process lives: SIGKILL, which mpirun sends right behind its
/// SIGTERM, leaves no time.
void watch_for_the_end();

/// It ends here, by this signal (0: by itself).
void sign_off(int signal);

}  // namespace loadshare::profile
