#pragma once

#include <vector>

#include "runtime/farm/master_loop.hpp"
#include "runtime/farm/options.hpp"
#include "runtime/farm/rank_report.hpp"
#include "runtime/timing/records.hpp"
#include "runtime/transport/transport.hpp"

namespace loadshare {

/// What a RunRecord is made from, on the master, once the run is over.
struct RunOutcome {
  const FarmOptions& options;
  const Transport& transport;
  const std::vector<RankReport>& reports;  ///< by rank
  MasterLoop& master;
  std::optional<double> shared_input_done_s;  ///< on the master's clock, where it travelled
};

/// Puts everybody's accounts and stamps on one time line that begins with the run.
RunRecord build_record(const RunOutcome& outcome);

}  // namespace loadshare
