#pragma once

#include <functional>

#include "bench/predictor/scenario_options.hpp"

namespace loadshare::bench {

/// What a simulator says of a farm.
struct Simulated {
  double makespan_s = 0;
  Index chunks = 0;
  Index iterations = 0;  ///< that workers computed
  double taken_s = 0;    ///< on the wall, for one run
};

/// The frame of both simulators' main: reads the scenario, simulates it `--repetitions` times, verifies what
/// came of it and prints one line of JSON. Knows nothing of MPI, whose functions SimGrid defines too. Returns
/// what main should.
int run_simulator(const char* name, int argc, const char* const* argv,
                  const std::function<Simulated(const ScenarioOptions&)>& simulate);

}  // namespace loadshare::bench
