#include "program/farm_job.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "program/memory_check.hpp"

namespace loadshare {

void require_farm_memory(Bytes bytes, const std::string& what, std::string_view suggestion) {
  require_memory(bytes, what, suggestion);
  // Under MPI the data lie in shared-memory windows, which Open MPI keeps in this file system.
  if (detect_launch().is_mpi) require_space("/dev/shm", bytes, what + " in shared memory");
}

std::string describe_wrong(const LoopCheck& check) {
  if (check.wrong == 1) return fmt::format("{} {} (1 of {})", check.one, check.first_wrong, check.iterations);
  return fmt::format("{} of {} {}s, the first of them {}", check.wrong, check.iterations, check.one,
                     check.first_wrong);
}

FarmJob::FarmJob(const RunOptions& options, std::string app, const std::string& iteration_name)
    : app_(std::move(app)), forecast_(*options.forecast), farm_(make_farm(options)) {
  farm_.on_master([&] { report_.emplace(options, app_, iteration_name); });
}

void FarmJob::run(Workload& workload, const ResultSteps& steps) {
  RunRecord record = compute(workload);
  farm_.on_master([&] { finish(record, steps); });
}

RunRecord FarmJob::compute(Workload& workload) {
  RunControls controls{.on_progress = {}, .interrupted = &interrupted_, .measures_width_cost = true};
  if (report_)
    controls.on_progress = [this](double now_s, Index done, Index total) {
      report_->progress({now_s, done, total, forecast_.remaining_s(now_s, done, total)});
    };
  const FarmOptions& options = farm_.options();
  const Chunk all{0, workload.iterations()};
  const auto iterations = static_cast<double>(std::max<Index>(1, all.size));
  forecast_.set_farm({.prefetch = static_cast<std::size_t>(options.prefetch),
                      .reissue = options.reissue,
                      .input_each = static_cast<double>(workload.input_bytes(all)) / iterations,
                      .result_each = static_cast<double>(workload.output_bytes(all)) / iterations,
                      .shared_bytes = static_cast<double>(workload.shared_input().size())});
  RunRecord record = farm_.run(workload, controls);
  if (report_) report_->end_progress();
  if (farm_.is_master()) forecast_.tell(record);
  return record;
}

void FarmJob::finish(RunRecord& record, const ResultSteps& steps) const {
  const Verdict verdict = steps.verify();
  if (interrupted_)
    throw Error(ExitCode::interrupted, "interrupted", fmt::format("after {} was computed", steps.name));
  record.app = app_;
  record.verified = verdict.is_right;
  steps.describe(record);
  const bool is_wrong = !verdict.is_right.value_or(true);
  if (is_wrong) record.notes.push_back("wrong: " + verdict.wrong);
  report_->tell(record, is_wrong ? [] {} : steps.store);
  if (is_wrong)
    throw Error(ExitCode::run_failed,
                fmt::format("{} is wrong in {}{}", steps.name, verdict.wrong, steps.judge),
                steps.file.empty() ? "" : steps.file + " was not written");
}

}  // namespace loadshare
