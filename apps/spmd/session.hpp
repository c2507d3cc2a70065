#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/spmd/exchange.hpp"
#include "base/quantities.hpp"
#include "base/types.hpp"
#include "program/run_report.hpp"
#include "runtime/farm/background_load.hpp"
#include "runtime/farm/job.hpp"
#include "runtime/farm/rank_report.hpp"
#include "runtime/records/records.hpp"
#include "runtime/transport/transport.hpp"

namespace loadshare::spmd {

/// The options of every program without a master, in addition to those for its own work.
struct Options {
  ReportOptions report;
  std::string load;  ///< background load as read by `parse_load_spec`; empty: none
  Index seed = 1;    ///< of the data and the random checks
  Index work = 1;    ///< number of times each computing step is done
  std::map<std::string, std::string> values = {};  ///< options that must agree on all ranks, by name
};

/// Builds a run record from the reports of its ranks, in their order, each with one account. The run lasts
/// from the first rank's start to the last one's end on rank 0's clock. The time before a rank begins and
/// after it ends counts as waiting. The caller adds what was computed, and with which libraries.
RunRecord build_record(const std::vector<RankReport>& reports);

/// The names that a program gives to its parts.
struct Identity {
  std::string app;
  std::string step_name;               ///< plural noun for the unit of its progress
  std::string size_option = "--size";  ///< option for the size of the problem
};

/// One run of a program without a master, as seen by one rank. Every rank makes one and calls the same
/// methods in the same order. The session starts MPI; `run_program` ends it.
class Session {
 public:
  /// Throws UsageError on every rank if the options cannot be satisfied.
  Session(const Options& options, const Identity& identity);

  int rank() const { return exchange_.rank(); }
  int ranks() const { return exchange_.ranks(); }
  bool is_first() const { return rank() == 0; }
  Exchange& exchange() { return exchange_; }
  PhaseClock& clock() { return clock_; }

  /// Runs an action on rank 0. If it throws, all ranks throw.
  void on_first(const std::function<void()>& action);
  /// Throws UsageError on every rank unless `bytes_a_rank` for each rank of rank 0's host, and `more` for
  /// rank 0, are available.
  void require_memory_for(Bytes bytes_a_rank, Bytes more, const std::string& what);

  /// Reports progress on rank 0. Does nothing on other ranks.
  void progress(Index done, Index total);

  /// Runs this rank's part after a barrier. `part` returns this rank's number of iterations. Returns the
  /// record on rank 0, complete except for the program's own data, and an empty one on other ranks.
  RunRecord run(const std::function<Index()>& part);

  /// Reports the record on rank 0. If the result is wrong, throws Error (run_failed) on every rank; the
  /// verdict is a sentence: "the keys are not in order on rank 1".
  void finish(RunRecord record, const Verdict& verdict);

 private:
  Account timed(const std::function<Index()>& part);

  Options options_;
  Identity identity_;
  std::unique_ptr<BackgroundLoad> background_load_;  // started before MPI and its threads; empty: no load
  std::unique_ptr<Transport> transport_;
  PhaseClock clock_;
  Exchange exchange_;
  std::optional<RunReport> report_;  // on rank 0
};

}  // namespace loadshare::spmd
