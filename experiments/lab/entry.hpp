#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "experiments/lab/state.hpp"

namespace loadshare::lab {

/// Is this a line that mpirun writes where all is well? Its parent process and the agent both move the agent
/// to a process group of its own; where the agent was quicker, the parent says that it could not.
bool is_harmless(std::string_view line);

/// Lets Open MPI write its own messages through a process that leaves out those that are harmless, and ends
/// when no process is left that could write. What the ranks write goes another way and is not touched. Throws
/// Error (run_failed).
void filter_launcher_messages();

/// Undoes that for the programs that mpirun starts: their messages go to stderr again.
void unfilter_launcher_messages();

/// This process runs on these processors alone from now on. Throws Error (run_failed).
void pin_to(const std::vector<int>& processors);

/// Is this Open MPI's launcher: mpirun, mpiexec or orterun, with or without a path?
bool is_launcher(const std::string& program);

/// Where Open MPI finds the lab's ways in; none of the paths may have blanks.
struct LaunchPaths {
  std::string agent;      ///< the program loadshare_lab_agent
  std::string temporary;  ///< a folder for Open MPI's own files, which goes with the lab
};

/// Is one of the words an option of Open MPI's launcher that says on which hosts? The program's own words
/// count too.
bool may_name_hosts(const std::vector<std::string>& words);

/// Do these options of mpirun allow more than one rank on a host of a lab?
bool allows_more_ranks(const std::vector<std::string>& options);

/// The command `words` (its first is_launcher) with the options put in behind its first word that let it
/// start one rank a host, in the lab file's order, unless the user's own -np, --host or --hostfile says
/// otherwise.
std::vector<std::string> lab_launch(const std::vector<std::string>& words, const LabState& state,
                                    const LaunchPaths& paths);

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
