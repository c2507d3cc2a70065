#pragma once

#include <string>
#include <vector>

namespace loadshare::tool {

/// Of the calls that can be measured as a whole, those in which nobody is done before all have begun: MPI's
/// names in small letters, without MPI_.
std::vector<std::string> collective_call_names();

}  // namespace loadshare::tool
