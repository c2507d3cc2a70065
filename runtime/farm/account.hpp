#pragma once

#include <string>

#include "runtime/records/records.hpp"

namespace loadshare {

/// Where one worker's or the master's time went in one run, as it measured it itself. Plain data: ranks send
/// theirs to the master as bytes.
struct Account {
  Index chunks = 0;
  Index iterations = 0;
  double computing_s = 0;      ///< processor time between begun and ended
  double stolen_s = 0;         ///< wall time minus processor time, ditto
  double communicating_s = 0;  ///< moving data
  double idle_s = 0;           ///< waiting with nothing to do
  double waiting_cpu_s = 0;    ///< processor time used while idle
  double start_s = 0;          ///< on its own host's clock
  double last_end_s = 0;       ///< end of its last chunk, ditto
  double end_s = 0;
};

}  // namespace loadshare
