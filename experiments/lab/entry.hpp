#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "experiments/lab/state.hpp"

namespace loadshare::lab {

/// Whether mpirun writes this line although nothing is wrong. Both mpirun and the agent move the agent to its
/// own process group; if the agent is first, mpirun reports that it could not.
bool is_harmless(std::string_view line);

/// Sends Open MPI's own messages through a process that drops harmless ones and ends when no writer is left.
/// The ranks' output does not pass through it. Throws Error (run_failed).
void filter_launcher_messages();

/// Undoes that for the programs that mpirun starts, whose messages go to stderr again.
void unfilter_launcher_messages();

/// Restricts this process to these processors. Throws Error (run_failed).
void pin_to(const std::vector<int>& processors);

/// Whether this is Open MPI's launcher: mpirun, mpiexec or orterun, with or without a path.
bool is_launcher(const std::string& program);

/// The paths that Open MPI needs to enter the lab; none may contain blanks.
struct LaunchPaths {
  std::string agent;      ///< the program loadshare_lab_agent
  std::string temporary;  ///< a folder for Open MPI's own files, removed with the lab
};

/// Whether one of the words is an option of Open MPI's launcher that names hosts. Checks the program's own
/// words too.
bool may_name_hosts(const std::vector<std::string>& words);

/// Whether these options of mpirun allow more than one rank on a host of a lab.
bool allows_more_ranks(const std::vector<std::string>& options);

/// Returns the command `words`, whose first word is a launcher, with options inserted after that word. They
/// start one rank per host in the lab file's order, unless the user's -np, --host or --hostfile says
/// otherwise.
std::vector<std::string> lab_launch(const std::vector<std::string>& words, const LabState& state,
                                    const LaunchPaths& paths);

// The ways into a lab. Each turns this process into the command, so that signals and exit codes are the
// command's own. They return only by throwing: UsageError if there is no such program or no right to enter,
// Error (run_failed) if entering fails.

/// Runs a command on a host: in its network, under its name, on its processors and within its share.
[[noreturn]] void run_on_host(const LabState& state, const std::string& host,
                              const std::vector<std::string>& command);

/// Runs mpirun at the switch. It starts the command's ranks on the hosts through the agent, see lab_launch().
[[noreturn]] void run_launcher(const LabState& state, const std::vector<std::string>& command);

/// Replaces ssh for mpirun: a shell runs `words` in the host's network and under its name, but outside its
/// share. Open MPI's daemon would take seconds to start within the share, and is not part of the
/// workstation's work.
[[noreturn]] void run_daemon(const LabState& state, const std::string& host,
                             const std::vector<std::string>& words);

/// Starts a rank for the daemon, on the host's processors and within its share from its first instruction on.
[[noreturn]] void run_rank(const LabState& state, const std::vector<std::string>& command);

}  // namespace loadshare::lab
