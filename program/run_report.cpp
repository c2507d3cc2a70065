#include "program/run_report.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <utility>

#include "base/error.hpp"
#include "base/io/error_text.hpp"
#include "base/io/file_lock.hpp"
#include "base/io/files.hpp"
#include "base/io/terminal.hpp"
#include "base/io/text.hpp"
#include "runtime/records/advice.hpp"
#include "runtime/records/progress.hpp"
#include "runtime/records/summary.hpp"
#include "runtime/records/trace.hpp"

namespace loadshare {

namespace {

/// Runs several actions that may fail, each regardless of the others' failures.
class Attempts {
 public:
  void add(const std::function<void()>& action) {
    try {
      action();
    } catch (const Error&) {
      if (!first_) first_ = std::current_exception();
    }
  }
  void rethrow_first() const {
    if (first_) std::rethrow_exception(first_);
  }

 private:
  std::exception_ptr first_;
};

}  // namespace

void add_report_options(const OptionGroup& group, ReportOptions& reports) {
  group.add("--json", reports.json, "FILE",
            "append the run's record to FILE as one line of JSON; -: to stdout");
  group.add("--progress", reports.progress, progress_modes, "HOW",
            "how progress is shown: auto, bar, lines or none");
  group.add_flag("--explain", reports.explains, true, "explain the words of the summary below it");
}

RunReport::RunReport(const ReportOptions& options, std::string app, std::string iteration_name)
    : app_(app),
      progress_(progress_options_on_stderr(options.progress, std::move(app), std::move(iteration_name)),
                write_stderr),
      trace_(options.trace),
      explains_(options.explains),
      has_own_output_(options.has_own_output) {
  if (!options.json.empty()) json_ = std::make_unique<JsonSink>(options.json);
  if (!trace_.empty()) require_writable(trace_, "the trace");
}

void RunReport::note(const std::string& text) {
  progress_.clear();
  write_note(app_ + ": " + printable(text) + "\n");
}

std::string RunReport::text_of(const RunRecord& record, int descriptor) const {
  constexpr int most_columns = 100;
  const int columns_wide = text_columns(descriptor, most_columns);
  std::string text = summary(record, columns_wide);
  if (explains_) text += "\n" + explanation(record, columns_wide);
  return text;
}

void RunReport::append(const RunRecord& record) {
  static bool has_noted = false;  // a program of several loops has a report for each
  const int lock_error = json_->append(to_json_line(record));
  if (lock_error == 0 || std::exchange(has_noted, true)) return;
  note(fmt::format(
      "{} was not locked while the record was appended ({}: {}); let one run at a time append to it",
      json_->path(), cannot_lock, error_text(lock_error)));
}

void RunReport::finish(const RunRecord& record, const std::function<void()>& store) {
  Attempts attempts;
  attempts.add(store);
  attempts.add([&] {
    std::FILE* const out = has_own_output_ || (json_ && json_->is_stdout()) ? stderr : stdout;
    show(out, "the summary", text_of(record, fileno(out)));
  });
  if (json_) attempts.add([&] { append(record); });
  if (!trace_.empty()) attempts.add([&] { write_trace(record, trace_); });
  attempts.rethrow_first();
}

}  // namespace loadshare
