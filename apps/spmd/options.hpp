#pragma once

#include <string>

#include "apps/common/run_report.hpp"
#include "schedulers/types.hpp"

namespace loadshare::spmd {

/// What every program without a master is told on its command line, besides its own work.
struct Options {
  ReportOptions report;
  std::string load;  ///< a background load as `parse_load_spec` reads it; empty: none
  Index seed = 1;    ///< of the data, and of the random checks
  Index work = 1;    ///< how many times each computing step is done
};

}  // namespace loadshare::spmd
