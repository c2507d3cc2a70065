#pragma once

#include <vector>

#include "models/timing_graph/process_run.hpp"
#include "models/timing_graph/program.hpp"

namespace loadshare::timing_graph {

/// Brings the processes' collective calls together, the nth of one process in a group with the nth of every
/// other, and writes their messages between the processes' own ops. Throws UsageError with the places where
/// processes do not make the same calls.
Program joined(std::vector<ProcessRun>& runs, std::vector<Origin> origins, double reduction_s_per_byte);

}  // namespace loadshare::timing_graph
