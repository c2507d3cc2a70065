#pragma once

#include <atomic>

namespace loadshare {

/// From now on SIGINT and SIGTERM set the flag that is returned instead of ending the process, so that a run
/// can end in good order; a second one ends it at once.
const std::atomic<bool>& watch_interruptions();

}  // namespace loadshare
