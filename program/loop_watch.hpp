#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>

#include "program/farm_command_line.hpp"
#include "program/interruption.hpp"
#include "program/run_report.hpp"
#include "program/status_page.hpp"
#include "runtime/farm/farm.hpp"

namespace loadshare {

/// A loop as a person follows it: its progress and the forecast of its end while it runs, an end in good
/// order by Ctrl-C, and its report after it.
class LoopWatch {
 public:
  /// `options` must outlive it.
  explicit LoopWatch(const RunOptions& options) : options_(options) {}

  /// On the master, before anything is done. Throws UsageError where what is to be told could not be written.
  void open(const std::string& app, const std::string& iteration_name) {
    report_.emplace(options_, app, iteration_name);
    app_ = app;
    open_page();
  }
  /// On every rank, before the loop runs: how it is to run.
  RunControls controls(Workload& workload);
  /// On the master, once the loop has run.
  void ended(RunRecord& record);

  const RunReport& report() const { return *report_; }
  bool is_interrupted() const { return interrupted_; }

 private:
  void open_page();
  std::function<void(const LoopStatus&)> on_status();
  void expect(Workload& workload) const;

  const RunOptions& options_;
  std::optional<RunReport> report_;  // the master's
  std::optional<StatusPage> page_;   // the master's, where there is one
  std::string app_;
  std::optional<double> rest_s_;  // forecast
  const std::atomic<bool>& interrupted_ = watch_interruptions();
};

}  // namespace loadshare
