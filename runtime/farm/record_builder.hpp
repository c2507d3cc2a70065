#pragma once

#include <vector>

#include "runtime/farm/master_loop.hpp"
#include "runtime/farm/options.hpp"
#include "runtime/farm/rank_report.hpp"
#include "runtime/farm/workload.hpp"
#include "runtime/load/load_spec.hpp"
#include "runtime/records/records.hpp"
#include "runtime/transport/transport.hpp"

namespace loadshare {

/// A run on the master's clock.
struct RunSpan {
  double start_s;
  double finish_s;
  double length_s() const { return finish_s - start_s; }
};

/// Fills the times of `row` with what of a worker's account lies inside the run; what is missing, or too
/// much, is unaccounted. `clock_offset_s`: how far the worker's clock is ahead of the master's.
void fill_times(RankRecord& row, const Account& account, double clock_offset_s, const RunSpan& run);

/// The hosts, each once; what is to be said of ranks that did not answer, and of hosts that do not compute as
/// the master's does. `reports`: by rank.
void add_hosts(RunRecord& record, const std::vector<RankReport>& reports, int master_rank);

/// Adds a note if processes have fewer workers than processors because their control groups grant fewer.
void add_quota_note(RunRecord& record, const std::vector<RankReport>& reports);

/// What a RunRecord is made from, on the master, once the run is over.
struct RunOutcome {
  const FarmOptions& options;
  Copies copies = Copies::allowed;  ///< in force
  const Transport& transport;
  Workload& workload;
  const std::vector<RankReport>& reports;  ///< by rank
  MasterLoop& master;
  std::optional<double> shared_input_done_s;  ///< on the master's clock, where it travelled
  const LoadSpec* load;                       ///< null: none
};

/// Puts everybody's accounts and stamps on one time line that begins with the run, beside what the loop was.
RunRecord build_record(const RunOutcome& outcome);

}  // namespace loadshare
