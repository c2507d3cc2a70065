#pragma once

#include "models/timing_graph/simulation.hpp"

namespace loadshare::timing_graph {

/// Throws UsageError where the simulation ended with processes that wait for one another, or with a send or
/// a receive without its other half; their steps and places are named.
void require_finished(const Simulation& simulation);

}  // namespace loadshare::timing_graph
