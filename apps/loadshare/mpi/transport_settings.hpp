#pragma once

#include <map>
#include <string>

namespace loadshare::tool {

/// MPI's control variables that decide by which way messages go and when they wait, as far as this MPI has
/// them, by name; MPI is up. What mpirun, the environment and MPI's own files say is in them.
std::map<std::string, std::string> transport_settings();

}  // namespace loadshare::tool
