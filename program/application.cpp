#include "program/application.hpp"

#include <fmt/format.h>

#include "program/loop_watch.hpp"
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

/// What a journal had was computed by another run.
double computed_share(const RunRecord& record) {
  if (!record.journal || record.iterations == 0) return 1;
  return 1 - static_cast<double>(record.journal->recovered) / static_cast<double>(record.iterations);
}

/// An application's job with all that is told of it.
class ToldJob final : public Job {
 public:
  ToldJob(const RunOptions& options, Application& application) : watch_(options), application_(application) {}

  std::string application() const override { return application_.application(); }
  void describe(JobDescription& description) override {
    watch_.open(application(), application_.iteration_name());
    application_.describe(description);
    watch_.described(description);
  }
  Workload& make(const JobDescription& description, Farm& farm) override {
    return application_.make(description, farm);
  }
  void fill() override { application_.fill(); }

  RunControls controls(Workload& workload) override { return watch_.controls(workload); }
  void finish(RunRecord& record) override;

 private:
  LoopWatch watch_;
  Application& application_;
};

void ToldJob::finish(RunRecord& record) {
  watch_.ended(record);
  const Verdict verdict = application_.verify();
  const std::string name = application_.result_name();
  if (watch_.is_interrupted())
    throw Error(ExitCode::interrupted, "interrupted", fmt::format("after {} was computed", name));
  record.app = application();
  record.verified = verdict.is_right;
  application_.tell(record);
  if (record.operations) *record.operations *= computed_share(record);
  if (verdict.is_right.value_or(true)) return watch_.tell(record, [&] { application_.store(); });
  record.notes.push_back("wrong: " + verdict.wrong);
  watch_.report().tell(record);
  const std::string file = application_.result_file();
  throw Error(ExitCode::run_failed,
              fmt::format("{} is wrong in {}{}", name, verdict.wrong, application_.judge()),
              file.empty() ? "" : file + " was not written");
}

}  // namespace

void run_application(const RunOptions& options, Application& application) {
  Farm farm = make_farm(options);
  ToldJob job(options, application);
  farm.run(job);
}

}  // namespace loadshare
