#pragma once

#include "apps/synthetic/costs/table.hpp"

namespace loadshare::synthetic {

/// The table's line for `file:path`: costs measured elsewhere, from a file with one cost in seconds a line.
/// Empty lines, and those that begin with #, are passed over; costs beyond the loop's end too.
CostEntry file_entry();

}  // namespace loadshare::synthetic
