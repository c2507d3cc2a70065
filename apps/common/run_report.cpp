#include "apps/common/run_report.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "runtime/timing/output_path.hpp"
#include "runtime/timing/summary.hpp"
#include "runtime/timing/terminal.hpp"
#include "runtime/timing/trace.hpp"
#include "schedulers/error.hpp"

namespace loadshare {

namespace {

ProgressOptions progress_options(const RunOptions& options, std::string app, std::string iteration_name) {
  constexpr int usual_width = 80;
  return {settled(options.progress, terminal_facts()), std::move(app), std::move(iteration_name),
          terminal_width(STDERR_FILENO, usual_width)};
}

void print_summary(const std::string& text, std::FILE* out) {
  if (std::fputs(text.c_str(), out) < 0 || std::fflush(out) != 0)
    throw Error(ExitCode::run_failed, "the summary cannot be written", std::strerror(errno));
}

}  // namespace

RunReport::RunReport(const RunOptions& options, std::string app, std::string iteration_name)
    : progress_(progress_options(options, std::move(app), std::move(iteration_name)), write_stderr),
      trace_(options.trace) {
  if (!options.json.empty()) json_ = std::make_unique<JsonSink>(options.json);
  if (!trace_.empty()) require_writable(trace_, "the trace");
}

void RunReport::tell(const RunRecord& record) const {
  print_summary(summary(record), json_ && json_->is_stdout() ? stderr : stdout);
  if (json_) json_->append(to_json_line(record));
  if (!trace_.empty()) write_trace(record, trace_);
}

}  // namespace loadshare
