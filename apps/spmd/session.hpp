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

/// What every program without a master is told on its command line, besides its own work.
struct Options {
  ReportOptions report;
  std::string load;  ///< a background load as `parse_load_spec` reads it; empty: none
  Index seed = 1;    ///< of the data, and of the random checks
  Index work = 1;    ///< how many times each computing step is done
  std::map<std::string, std::string> values = {};  ///< of the options that must agree on all ranks, by name
};

/// A run record from the reports of its ranks, by rank, each with one account. The run lasts from the first
/// rank's begin to the last one's end, all on rank 0's clock; who begins later or ends earlier than others is
/// waiting for them. Left to the caller: what was computed, and with which libraries.
RunRecord build_record(const std::vector<RankReport>& reports);

/// What a program says it is.
struct Identity {
  std::string app;
  std::string step_name;               ///< plural; what its progress counts
  std::string size_option = "--size";  ///< where it is told how much there is to do
};

/// One run of a program without a master, as one rank takes part in it. Every rank makes one and calls the
/// same methods in the same order. MPI is started by it and left by `run_program`.
class Session {
 public:
  /// Throws UsageError, on every rank, where the options ask for what cannot be had.
  Session(const Options& options, const Identity& identity);

  int rank() const { return exchange_.rank(); }
  int ranks() const { return exchange_.ranks(); }
  bool is_first() const { return rank() == 0; }
  Exchange& exchange() { return exchange_; }
  PhaseClock& clock() { return clock_; }

  /// Does something on rank 0 that may fail, and lets every rank know: where it throws, all ranks throw.
  void on_first(const std::function<void()>& action);
  /// Throws UsageError, everywhere, if `bytes_a_rank` for each rank of rank 0's host, and `more` on rank 0,
  /// are not available.
  void require_memory_for(Bytes bytes_a_rank, Bytes more, const std::string& what);

  /// For rank 0 to tell how far it is; elsewhere nothing.
  void progress(Index done, Index total);

  /// Runs this rank's part, from a barrier on. `part` returns how many iterations were this rank's. On rank 0
  /// the record, complete but for what the program knows of itself; elsewhere an empty one.
  RunRecord run(const std::function<Index()>& part);

  /// Tells the record, on rank 0, and throws Error (run_failed) everywhere where the result is wrong. What is
  /// wrong is a sentence: "the keys are not in order on rank 1".
  void finish(RunRecord record, const Verdict& verdict);

 private:
  Account timed(const std::function<Index()>& part);

  Options options_;
  Identity identity_;
  std::unique_ptr<BackgroundLoad>
      background_load_;  // before MPI and its threads; nothing: no load was asked for
  std::unique_ptr<Transport> transport_;
  PhaseClock clock_;
  Exchange exchange_;
  std::optional<RunReport> report_;  // rank 0's
};

}  // namespace loadshare::spmd
