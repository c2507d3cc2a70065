#pragma once

#include <atomic>
#include <csignal>
#include <optional>

#include "base/names.hpp"

namespace loadshare {

/// Makes SIGINT, SIGTERM and SIGHUP set the returned flag instead of ending the process, so that a run can
/// end in good order. A second signal ends the process immediately. A SIGHUP that was ignored (nohup) stays
/// ignored.
const std::atomic<bool>& watch_interruptions();

/// Makes SIGTERM and SIGHUP end the process immediately again.
void be_ended_by_signals();

/// Signals that can ask a run to drain. Batch systems send one of them before a time limit.
inline constexpr Choices<int, 2> drain_signals{{{"USR1", SIGUSR1}, {"USR2", SIGUSR2}}};

/// Makes the signal, if one is given, set the returned flag, each time it arrives.
const std::atomic<bool>& watch_drain(std::optional<int> signal);

}  // namespace loadshare
