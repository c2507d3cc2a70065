#pragma once

#include <optional>

#include "runtime/farm/workload.hpp"
#include "runtime/records/records.hpp"

namespace loadshare {

/// How wide the chunk was that the run's middle iteration was computed in: half of the timed iterations were
/// in chunks no wider. 0 where no chunk was timed.
Index typical_width(const RunRecord& record);

/// The cost of narrow chunks, estimated from the run itself. It uses pairs of neighbouring chunks of one host
/// of which one is at least twice as wide. Each pair gives the cost of a chunk's beginning, and the median
/// counts. Nothing if there are fewer than three such pairs, or none of the widths is twice the typical one.
/// Nothing either if the iterations wait for something other than a processor.
std::optional<WidthCost> width_cost_of(const RunRecord& record);

/// The same, measured. Computes some iterations again, in turn in chunks of the typical width and in a wider
/// one, on the calling thread, into its own memory. Only for a workload that is repeatable. Takes some
/// hundredths of the run's time, or a tenth of a second if that is more. Its wall time is at most twice that,
/// and the chunk being computed then. `record` is the run's, complete but for this. To be called on the
/// master, whose host must have the shared input prepared.
///
/// Nothing if chunks were wide enough for the number of workers, or an iteration takes too long to be
/// computed again.
std::optional<WidthCost> measure_width_cost(Workload& workload, WorkerId worker, const RunRecord& record);

}  // namespace loadshare
