#pragma once

#include <simgrid/s4u.hpp>
#include <vector>

#include "bench/predictor/scenario_options.hpp"

namespace loadshare::bench {

/// Flops a second of a host of speed 1, of which a second of work is made.
inline constexpr double flops_per_s = 1e9;

/// The hosts of a farm in SimGrid, with the loads that they have and the master's link out and link in.
struct SimgridPlatform {
  simgrid::s4u::Host* master = nullptr;
  std::vector<simgrid::s4u::Host*> workers;
};

/// Makes SimGrid's messages cost latency + bytes / bandwidth: network model CM02 without its corrections.
/// Before the platform is built.
void set_plain_network();
SimgridPlatform build_platform(const ScenarioOptions& options);

}  // namespace loadshare::bench
