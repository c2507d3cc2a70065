#pragma once

#include <vector>

#include "runtime/farm/rank_report.hpp"
#include "runtime/load/load_spec.hpp"
#include "runtime/timing/records.hpp"

namespace loadshare {

/// What computing takes: a worker that only waits (asleep, for a device) has no share of a processor.
enum class WorkerNeeds { processor, nothing };

/// Adds to a record, complete but for that, what the loads did to the run: from what they measured
/// themselves, and, for what the workers really got, from the chunks. A note tells where that is not what was
/// asked for. What the workers got is measured only where they wanted the processor.
void add_load(RunRecord& record, const LoadSpec& spec, const std::vector<RankReport>& reports,
              WorkerNeeds needs = WorkerNeeds::processor);

}  // namespace loadshare
