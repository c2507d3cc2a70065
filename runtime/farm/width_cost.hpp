#pragma once

#include <optional>

#include "runtime/farm/workload.hpp"
#include "runtime/records/records.hpp"

namespace loadshare {

/// How wide the chunk was that the run's middle iteration was computed in: half of the timed iterations were
/// in chunks no wider. 0 where no chunk was timed.
Index typical_width(const RunRecord& record);

/// What narrow chunks cost, by the run itself: of neighbouring chunks computed on one host of which one is at
/// least twice as wide, each pair says what a chunk's beginning costs, and the middle of them counts. Nothing
/// where there are fewer than three such pairs, none of the widths is twice the typical one, or the
/// iterations wait for something else than a processor.
std::optional<WidthCost> width_cost_of(const RunRecord& record);

/// The same by computing some iterations again, in chunks of the typical width and in a wider one, on the
/// calling thread, in turn, into memory of its own: for a workload that is repeatable, and no other. Takes
/// some hundredths of the run's time, or a tenth of a second where that is more; by the clock at most twice
/// that and the chunk being computed then. `record` is the run's, complete but for this; on the master, whose
/// host must have the shared input prepared.
///
/// Nothing where nothing can be said: chunks were wide enough for so many workers, an iteration takes too
/// long to be computed again.
std::optional<WidthCost> measure_width_cost(Workload& workload, WorkerId worker, const RunRecord& record);

}  // namespace loadshare
