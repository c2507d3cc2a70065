#pragma once

#include <string_view>

namespace loadshare::lab {

/// Is this a line that mpirun writes where all is well? Its parent process and the agent both move the agent
/// to a process group of its own; where the agent was quicker, the parent says that it could not.
bool is_harmless(std::string_view line);

/// Lets Open MPI write its own messages through a process that leaves out those that are harmless, and ends
/// with the last one that could write. What the ranks write goes another way and is not touched. Throws Error
/// (run_failed).
void filter_launcher_messages();

/// For what mpirun starts: its messages go to stderr again.
void unfilter_launcher_messages();

}  // namespace loadshare::lab
