#pragma once

#include <optional>

#include "runtime/farm/workload.hpp"
#include "runtime/records/records.hpp"

namespace loadshare {

/// How wide the chunk was that the run's middle iteration was computed in: half of the timed iterations were
/// in chunks no wider. 0 where no chunk was timed.
Index typical_width(const RunRecord& record);

/// Where a run's chunks were narrow for its loop and workers: computes some of its iterations again, in
/// chunks of that width and in a wider one, on the calling thread, in turn, into memory of its own. Takes
/// some hundredths of the run's time, or a tenth of a second where that is more. `record` is the run's,
/// complete but for this; on the master, whose host must have the shared input prepared.
///
/// Nothing where nothing can be said: chunks were wide enough for so many workers, an iteration takes too
/// long to be computed again, computing does not use the processor.
std::optional<WidthCost> measure_width_cost(Workload& workload, WorkerId worker, const RunRecord& record);

}  // namespace loadshare
