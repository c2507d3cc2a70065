#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/quantities.hpp"
#include "program/farm_command_line.hpp"
#include "program/interruption.hpp"
#include "program/run_report.hpp"
#include "runtime/farm/farm.hpp"

namespace loadshare {

/// Throws UsageError if a farm's data, `bytes` on the master's host, do not fit: "`what` needs 3 TiB of
/// memory (22.9 GiB are available on this host) `suggestion`". Call it before anything is allocated.
void require_farm_memory(Bytes bytes, const std::string& what, std::string_view suggestion);

/// The part of all iterations' `values` that is a chunk's, where each iteration has `each` of them; empty
/// where all are (away from the master's host).
template <class T>
std::span<T> part_of_chunk(std::span<T> values, std::size_t each, Chunk chunk) {
  if (values.empty()) return {};
  return values.subspan(static_cast<std::size_t>(chunk.first) * each,
                        static_cast<std::size_t>(chunk.size) * each);
}

/// What a check of a loop's results found.
struct LoopCheck {
  const char* one = "iteration";  ///< what an iteration is called
  Index iterations = 0;
  Index wrong = 0;        ///< how many of them
  Index first_wrong = 0;  ///< if any is

  bool is_right() const { return wrong == 0; }
  void add_wrong(Index iteration) {
    if (wrong++ == 0) first_wrong = iteration;
  }
};

/// "row 17 (1 of 60)", "3 of 60 rows, the first of them 17".
std::string describe_wrong(const LoopCheck& check);

/// What an application does about its result, on the master.
struct ResultSteps {
  std::string_view name = {};                     ///< "the product"
  std::string file = {};                          ///< where it is stored; empty: nowhere
  std::string judge = {};                         ///< who says that it is wrong: ", says the full check"
  std::function<Verdict()> verify = {};           ///< tells where it is wrong: "row 17 (1 of 60)"
  std::function<void(RunRecord&)> describe = {};  ///< tells the record what was computed, and how
  std::function<void()> store = [] {};            ///< where it is not wrong
};

/// One run of a farm application on one rank: the farm, and on its master whoever tells of it. It is shown
/// while it goes on, and ended in good order by Ctrl-C.
class FarmJob {
 public:
  /// Throws UsageError, on every rank, where the options ask for what cannot be had.
  FarmJob(const RunOptions& options, std::string app, const std::string& iteration_name);

  Farm& farm() { return farm_; }

  /// Farm::run, and then, on the master: verifies, stores, tells. Throws Error everywhere; a wrong result is
  /// Error(run_failed), after its record was told.
  void run(Workload& workload, const ResultSteps& steps);

 private:
  RunRecord compute(Workload& workload);
  void finish(RunRecord& record, const ResultSteps& steps) const;

  std::string app_;
  RunForecast& forecast_;
  Farm farm_;
  std::optional<RunReport> report_;  // the master's
  const std::atomic<bool>& interrupted_ = watch_interruptions();
};

}  // namespace loadshare
