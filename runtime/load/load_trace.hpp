#pragma once

#include <string>
#include <vector>

#include "runtime/load/load_plan.hpp"

namespace loadshare {

/// Reads steps from a file: a line `second share` each, ascending; a share of 0 is off; blank lines are
/// passed over, and what follows a #. Throws UsageError, `file:line: problem (why) suggestion`.
std::vector<LoadStep> read_load_trace(const std::string& path);

}  // namespace loadshare
