#pragma once

#include <string_view>

#include "models/farm/scenario.hpp"

namespace loadshare::predictor {

/// What keeps a run from being shorter.
enum class Bound { work, master, network, last_chunk, waiting };

std::string_view name_of(Bound bound);

/// No run of the scenario with so many chunks ends sooner than each of these; seconds.
struct Bounds {
  double work_s = 0;     ///< all iterations, shared perfectly
  double master_s = 0;   ///< what the master's processor has to do
  double network_s = 0;  ///< what has to go through the master's port, in or out
};

/// Of a scenario, and of what went through the master in a run of it.
Bounds bounds_of(const Scenario& scenario, const Outcome& outcome);

/// What the run ran into: the resource of the master that was busy for most of it; else the last chunk, where
/// workers waited for it for longer than for anything else; else what the workers did for most of it:
/// compute, or wait, for chunks and for the shared input.
Bound binding_bound(const Bounds& bounds, const Outcome& outcome);

/// The time that workers, in the mean, stood idle at the end, while others had their last chunks.
double tail_s(const Outcome& outcome);

/// Share of the workers' time, while they were there, in which they computed a chunk, what loads and limits
/// took meanwhile included.
double busy_share(const Outcome& outcome);

}  // namespace loadshare::predictor
