#pragma once

#include <vector>

#include "models/communication/collective_costs.hpp"
#include "models/timing_graph/process_run.hpp"
#include "models/timing_graph/program.hpp"

namespace loadshare::timing_graph {

/// What collective calls cost beside their messages, or instead of them.
struct CallCosts {
  double reduction_s_per_byte = 0;
  const communication::CollectiveCosts* whole = nullptr;  ///< none: all calls are written as messages
};

/// Brings the processes' collective calls together, the nth of one process in a group with the nth of every
/// other, and writes them between the processes' own ops: as one where its time is known as a whole, else as
/// messages. Throws UsageError with the places where processes do not make the same calls.
Program joined(std::vector<ProcessRun>& runs, std::vector<Origin> origins, const CallCosts& costs);

}  // namespace loadshare::timing_graph
