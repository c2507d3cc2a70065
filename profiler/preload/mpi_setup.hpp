#pragma once

#include <map>
#include <string>

namespace loadshare::profile {

/// MPI's control variables that decide by which way messages go, when they wait and which collective
/// algorithms there are, as far as this MPI has them, by name; MPI is up. What mpirun, the environment and
/// MPI's own files say is in them. With them stands `network`: the subnets that this host has a way into.
std::map<std::string, std::string> mpi_settings();

/// Those of them that mpirun or the environment ask for, and `network`: without MPI's tools interface, which
/// takes 0.2 s to begin with, and that from the program's time.
std::map<std::string, std::string> mpi_settings_asked_for();

/// "Open MPI v4.1.4": the first words of what MPI says of itself.
std::string mpi_version();

}  // namespace loadshare::profile
