#pragma once

#include <string_view>
#include <vector>

#include "schedulers/spec.hpp"
#include "schedulers/table.hpp"

namespace loadshare {

/// Reads `NAME`, `NAME:VALUE,...` or `NAME:PARAMETER=VALUE,...`, positional values first, against the
/// techniques in `entries`. Names are checked here, values where the scheduler is made. Throws UsageError.
SchedulerSpec parse_spec(std::string_view text, const std::vector<SchedulerEntry>& entries);

}  // namespace loadshare
