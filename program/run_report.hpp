#pragma once

#include <functional>
#include <memory>
#include <string>

#include "program/command_line.hpp"
#include "runtime/records/json.hpp"
#include "runtime/records/progress.hpp"
#include "runtime/records/records.hpp"

namespace loadshare {

/// Where a run is told.
struct ReportOptions {
  std::string json;   ///< where the record's line goes: a file, "-" for stdout, or empty
  std::string trace;  ///< the file for the trace, or empty
  ProgressMode progress = ProgressMode::automatic;
  bool explains = false;        ///< what the summary's words mean
  bool has_own_output = false;  ///< stdout is the program's: the summary goes to stderr
};

/// Tells the parser of --json, --progress and --explain.
void add_report_options(const OptionGroup& group, ReportOptions& reports);

/// What an application tells on one rank, a farm's on its master: the progress while it runs, and then
/// summary, JSON line and trace. Made before the run, so that outputs that cannot be written are known before
/// any work is done.
class RunReport {
 public:
  /// Throws UsageError where the JSON line or the trace could not be written.
  RunReport(const ReportOptions& options, std::string app, std::string iteration_name);

  /// For RunControls::on_progress.
  void progress(const ProgressPoint& point) { progress_.update(point); }
  /// A line for a person, at once.
  void note(const std::string& text);
  /// Takes the progress line off the screen.
  void end_progress() { progress_.clear(); }

  /// Stores the result, prints the summary (to stderr when the JSON line takes stdout), appends the JSON
  /// line, writes the trace. Throws Error(run_failed) where one of them cannot be written, after the others
  /// were.
  void tell(
      const RunRecord& record, const std::function<void()>& store = [] {});

 private:
  std::string told(const RunRecord& record) const;
  void append(const RunRecord& record);

  std::string app_;
  Progress progress_;
  std::unique_ptr<JsonSink> json_;
  std::string trace_;
  bool explains_;
  bool has_own_output_;
};

}  // namespace loadshare
