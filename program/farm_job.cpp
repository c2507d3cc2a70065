#include "program/farm_job.hpp"

#include <algorithm>

#include "program/memory_check.hpp"
#include "runtime/farm/program.hpp"

namespace loadshare {

void require_farm_memory(Bytes bytes, const std::string& what, std::string_view suggestion) {
  require_memory(bytes, what, suggestion);
  // Under MPI the data lie in shared-memory windows, which Open MPI keeps in this file system.
  if (detect_launch().is_mpi) require_space("/dev/shm", bytes, what + " in shared memory");
}

RunRecord FarmJob::run(Workload& workload) {
  RunControls controls{.on_progress = {}, .interrupted = &interrupted_};
  if (report_ != nullptr)
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
  if (report_ != nullptr) report_->end_progress();
  if (farm_.is_master()) forecast_.tell(record);
  return record;
}

void FarmJob::require_uninterrupted(std::string_view since) const {
  if (interrupted_) throw Error(ExitCode::interrupted, "interrupted", since);
}

}  // namespace loadshare
