#pragma once

#include <vector>

#include "models/timing_graph/evaluation.hpp"
#include "models/timing_graph/simulation.hpp"

namespace loadshare::timing_graph {

/// From the last op to end, back to time 0: every op is preceded by what fixed its begin, be that the op
/// before it in its process, the other half of its message or, where its message had to wait for others on
/// its way, those. Parts of one step that touch are one part.
std::vector<PathPart> critical_path(const Simulation& simulation);

}  // namespace loadshare::timing_graph
