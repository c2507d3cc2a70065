#pragma once

#include <string>
#include <vector>

#include "experiments/lab/state.hpp"

namespace loadshare::lab {

// The ways into a lab. Each turns this process into the command and returns only by throwing: UsageError when
// there is no such program or no right to enter, Error (run_failed) when entering fails. Signals and exit
// codes are the command's own therefore.

/// A command on a host: in its network, under its name, on its processors and within its share.
[[noreturn]] void run_on_host(const LabState& state, const std::string& host,
                              const std::vector<std::string>& command);

/// mpirun, at the switch: it starts the command's ranks on the hosts through the agent, see lab_launch().
[[noreturn]] void run_launcher(const LabState& state, const std::vector<std::string>& command);

/// What mpirun runs in place of ssh: `words` by a shell, in the host's network and under its name, but
/// outside its share: Open MPI's daemon is no part of the workstation's work, and would take seconds to start
/// there.
[[noreturn]] void run_daemon(const LabState& state, const std::string& host,
                             const std::vector<std::string>& words);

/// What the daemon runs in place of a rank: the rank, on the host's processors and within its share from its
/// first instruction on.
[[noreturn]] void run_rank(const LabState& state, const std::vector<std::string>& command);

}  // namespace loadshare::lab
