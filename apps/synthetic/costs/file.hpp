#pragma once

#include "apps/synthetic/costs/table.hpp"

namespace loadshare::synthetic {

/// Returns the table entry of `file:path`: measured costs, from a file with one cost in seconds per line.
/// Ignores empty lines, lines that begin with #, and costs beyond the loop's end.
CostEntry file_entry();

}  // namespace loadshare::synthetic
