#pragma once

#include <map>
#include <string>

namespace loadshare::profile {

/// Returns MPI's control variables that select how messages travel, when they wait, and which collective
/// algorithms are used. They include the settings of mpirun, the environment and MPI's files. Variables that
/// this MPI lacks are absent. `network` lists the subnets of this host. Requires an initialized MPI.
std::map<std::string, std::string> mpi_settings();

/// Returns only the variables that mpirun or the environment set, and `network`. It avoids MPI's tools
/// interface, whose start takes 0.2 s of the program's time.
std::map<std::string, std::string> mpi_settings_asked_for();

/// Returns the first part of MPI's version text: "Open MPI v4.1.4".
std::string mpi_version();

}  // namespace loadshare::profile
