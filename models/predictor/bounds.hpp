#pragma once

#include <array>
#include <string_view>

#include "models/predictor/outcome.hpp"
#include "models/predictor/scenario.hpp"

namespace loadshare::predictor {

/// What keeps a run from being shorter.
enum class Bound { work, master, network, last_chunk };

std::string_view name_of(Bound bound);

/// No run of the scenario with so many chunks ends sooner than each of these; seconds.
struct Bounds {
  double work_s = 0;     ///< all iterations, shared perfectly; the middle run's, whose chunks do not scatter
  double master_s = 0;   ///< what the master's processor has to do
  double network_s = 0;  ///< what has to go through the master's port, in or out
};

/// Of a scenario, and of what went through the master in a run of it.
Bounds bounds_of(const Scenario& scenario, const Outcome& outcome);

/// What the run ran into: the resource of the master that was busy for most of it; else the last chunk, where
/// workers waited for it for longer than for anything else; else the work.
Bound binding_bound(const Bounds& bounds, const Outcome& outcome);

/// The time that workers, in the mean, stood idle at the end, while others had their last chunks.
double tail_s(const Outcome& outcome);

}  // namespace loadshare::predictor
