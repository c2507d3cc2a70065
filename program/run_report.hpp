#pragma once

#include <functional>
#include <memory>
#include <string>

#include "program/command_line.hpp"
#include "runtime/records/json.hpp"
#include "runtime/records/progress.hpp"
#include "runtime/records/records.hpp"

namespace loadshare {

/// Destinations of a run's report.
struct ReportOptions {
  std::string json;   ///< file for the record's line; "-": stdout; empty: none
  std::string trace;  ///< file for the trace; empty: none
  ProgressMode progress = ProgressMode::automatic;
  bool explains = false;        ///< explain the summary's words
  bool has_own_output = false;  ///< stdout belongs to the program; the summary goes to stderr
};

/// Declares --json, --progress and --explain.
void add_report_options(const OptionGroup& group, ReportOptions& reports);

/// The report of a run on one rank (of a farm, on the master): progress while it runs, then summary, JSON
/// line and trace. Make it before the run, so that outputs that cannot be written are found before any work
/// is done.
class RunReport {
 public:
  /// Throws UsageError if the JSON line or the trace cannot be written.
  RunReport(const ReportOptions& options, std::string app, std::string iteration_name);

  /// Shows the progress of the run; called by RunControls::on_progress.
  void progress(const ProgressPoint& point) { progress_.update(point); }
  /// Prints a line for the user without delay.
  void note(const std::string& text);
  /// Removes the progress line from the screen.
  void end_progress() { progress_.clear(); }

  /// Stores the result, prints the summary (to stderr if the JSON line uses stdout), appends the JSON line
  /// and writes the trace. If one of them fails, does the others, then throws Error (run_failed).
  void finish(
      const RunRecord& record, const std::function<void()>& store = [] {});

 private:
  std::string text_of(const RunRecord& record, int descriptor) const;
  void append(const RunRecord& record);

  std::string app_;
  Progress progress_;
  std::unique_ptr<JsonSink> json_;
  std::string trace_;
  bool explains_;
  bool has_own_output_;
};

}  // namespace loadshare
