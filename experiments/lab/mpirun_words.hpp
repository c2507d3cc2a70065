#pragma once

#include <string>
#include <vector>

#include "experiments/lab/state.hpp"

namespace loadshare::lab {

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

}  // namespace loadshare::lab
