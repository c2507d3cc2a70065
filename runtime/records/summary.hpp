#pragma once

#include <string>

#include "runtime/records/records.hpp"

namespace loadshare {

/// Returns the summary of a run for people, in ASCII lines of at most `columns_wide` characters (40 at
/// least). A table of all ranks comes first; the makespan, the rate, the efficiency, the losses, the
/// verification and the notes follow. With more than 32 workers one line of means replaces the middle of the
/// table.
///
/// Efficiency here is the share of the workers' time that was spent computing: sum of computing / (workers x
/// makespan). Pure.
std::string summary(const RunRecord& record, int columns_wide = 100);

}  // namespace loadshare
