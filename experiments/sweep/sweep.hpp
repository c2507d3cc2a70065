#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "experiments/sweep/folder.hpp"
#include "experiments/sweep/spec.hpp"
#include "runtime/records/progress.hpp"
#include "schedulers/table.hpp"

namespace loadshare::sweep {

/// What `loadshare sweep` is to do with its file.
enum class Task { run, dry_run, validate, emit_sbatch };

struct SweepRequest {
  std::string file;
  std::string out;  ///< empty: results/<the file's stem>
  Task task = Task::run;
  Resume resume = Resume::no;
  Setting setting = Setting::full;
  std::vector<std::string> only;  ///< experiments; empty: all
  ProgressMode progress = ProgressMode::automatic;
  std::string version;                         ///< of the tool, for the manifest
  const SchedulerTable* schedulers = nullptr;  ///< what our own programs take; outlives the sweep
};

/// What is said at the end of the runs in that folder: the table and the winner.
using Conclude = std::function<void(const std::string& folder)>;

/// Does it; what was asked for goes to `print`, progress and troubles to stderr. Throws UsageError where the
/// file or the request makes no sense, Error (run_failed) where runs failed or could not be kept, and
/// (interrupted) where `is_interrupted` turned true.
void do_sweep(const SweepRequest& request, const std::atomic<bool>& is_interrupted,
              const std::function<void(std::string_view)>& print, const Conclude& conclude);

}  // namespace loadshare::sweep
