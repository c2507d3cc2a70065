#include "program/application.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <optional>

#include "program/interruption.hpp"
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

namespace {

/// An application's job with all that is told of it.
class ToldJob final : public Job {
 public:
  ToldJob(const RunOptions& options, Application& application)
      : options_(options), application_(application) {}

  std::string application() const override { return application_.application(); }
  void describe(JobDescription& description) override {
    report_.emplace(options_, application(), application_.iteration_name());
    application_.describe(description);
  }
  Workload& make(const JobDescription& description, Farm& farm) override {
    Workload& workload = application_.make(description, farm);
    expect(farm.options(), workload);
    return workload;
  }
  void fill() override { application_.fill(); }
  void finish(RunRecord& record) override {
    report_->end_progress();
    options_.forecast->tell(record);
    judge(record);
  }

  RunControls controls() {
    return {.on_progress =
                [this](double now_s, Index done, Index total) {
                  report_->progress({now_s, done, total, options_.forecast->remaining_s(now_s, done, total)});
                },
            .interrupted = &interrupted_,
            .measures_width_cost = true};
  }

 private:
  void expect(const FarmOptions& options, Workload& workload) const;
  void judge(RunRecord& record);

  const RunOptions& options_;
  Application& application_;
  std::optional<RunReport> report_;  // the master's
  const std::atomic<bool>& interrupted_ = watch_interruptions();
};

/// Tells the forecast what will be run.
void ToldJob::expect(const FarmOptions& options, Workload& workload) const {
  const Chunk all{0, workload.iterations()};
  const auto iterations = static_cast<double>(std::max<Index>(1, all.size));
  options_.forecast->set_farm({.prefetch = static_cast<std::size_t>(options.prefetch),
                               .reissue = options.reissue,
                               .input_each = static_cast<double>(workload.input_bytes(all)) / iterations,
                               .result_each = static_cast<double>(workload.output_bytes(all)) / iterations,
                               .shared_bytes = static_cast<double>(workload.shared_input().size())});
}

void ToldJob::judge(RunRecord& record) {
  const Verdict verdict = application_.verify();
  const std::string name = application_.result_name();
  if (interrupted_)
    throw Error(ExitCode::interrupted, "interrupted", fmt::format("after {} was computed", name));
  record.app = application();
  record.verified = verdict.is_right;
  application_.tell(record);
  if (verdict.is_right.value_or(true)) return report_->tell(record, [&] { application_.store(); });
  record.notes.push_back("wrong: " + verdict.wrong);
  report_->tell(record);
  const std::string file = application_.result_file();
  throw Error(ExitCode::run_failed,
              fmt::format("{} is wrong in {}{}", name, verdict.wrong, application_.judge()),
              file.empty() ? "" : file + " was not written");
}

}  // namespace

void run_application(const RunOptions& options, Application& application) {
  Farm farm = make_farm(options);
  ToldJob job(options, application);
  farm.run(job, job.controls());
}

}  // namespace loadshare
