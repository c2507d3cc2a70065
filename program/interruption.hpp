#pragma once

#include <atomic>
#include <csignal>
#include <optional>

#include "base/names.hpp"

namespace loadshare {

/// From now on SIGINT, SIGTERM and SIGHUP set the returned flag instead of ending the process, so that a run
/// can end in good order. A second one ends it immediately. A SIGHUP that was ignored (nohup) stays ignored.
const std::atomic<bool>& watch_interruptions();

/// From now on SIGTERM and SIGHUP end the process immediately.
void be_ended_by_signals();

/// The signals that can ask a run to drain. Batch systems send one of them before a time limit.
inline constexpr Choices<int, 2> drain_signals{{{"USR1", SIGUSR1}, {"USR2", SIGUSR2}}};

/// From now on the signal, if one is given, sets the returned flag, however often it arrives.
const std::atomic<bool>& watch_drain(std::optional<int> signal);

}  // namespace loadshare
