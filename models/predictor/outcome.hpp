#pragma once

#include <vector>

#include "runtime/timing/records.hpp"
#include "schedulers/types.hpp"

namespace loadshare::predictor {

/// What became of one worker.
struct WorkerOutcome {
  Index chunks = 0;
  Index iterations = 0;
  double computing_s = 0;  ///< wall time between beginning and end of its chunks, but for waiting for the
                           ///< shared input
  double last_end_s = 0;   ///< when it ended its last
};

/// What a run in virtual time came to. Times are seconds from its start.
struct Outcome {
  double makespan_s = 0;  ///< until the last result was taken
  Index chunks = 0;
  Index messages = 0;    ///< orders and reports between hosts
  double bytes_out = 0;  ///< through the master's port, without the shared input
  double bytes_in = 0;
  double master_busy_s = 0;    ///< work of the master's processor in serving
  double port_out_busy_s = 0;  ///< the master's, the shared input included
  double port_in_busy_s = 0;
  double shared_input_s = 0;  ///< until it was on every host
  std::vector<WorkerOutcome> workers;
};

}  // namespace loadshare::predictor
