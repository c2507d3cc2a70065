#pragma once

#include <atomic>
#include <csignal>
#include <optional>

#include "base/names.hpp"

namespace loadshare {

/// From now on SIGINT, SIGTERM and SIGHUP set the flag that is returned instead of ending the process, so
/// that a run can end in good order; a second one ends it at once. SIGHUP stays ignored where it was (nohup).
const std::atomic<bool>& watch_interruptions();

/// From now on SIGTERM and SIGHUP end the process at once.
void be_ended_by_signals();

/// By which a run may be asked to drain: batch systems send one of them before a time limit.
inline constexpr Choices<int, 2> drain_signals{{{"USR1", SIGUSR1}, {"USR2", SIGUSR2}}};

/// From now on the signal, if there is one, sets the flag that is returned, however often it comes.
const std::atomic<bool>& watch_drain(std::optional<int> signal);

}  // namespace loadshare
