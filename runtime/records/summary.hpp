#pragma once

#include <string>

#include "runtime/records/records.hpp"

namespace loadshare {

/// What a person reads after a run, in ASCII lines of at most `columns_wide` characters (80 at least): a
/// table of who did what, then the makespan, the rate, the efficiency, what was lost to what, the
/// verification and the notes. With more than 32 workers the middle of the table is one line of means.
///
/// Efficiency here is the share of the workers' time that was spent computing:
/// sum of computing / (workers x makespan). Pure.
std::string summary(const RunRecord& record, int columns_wide = 100);

}  // namespace loadshare
