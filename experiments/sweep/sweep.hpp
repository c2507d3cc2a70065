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

/// What `loadshare sweep` does with its file.
enum class Task { run, dry_run, validate, emit_sbatch };

struct SweepRequest {
  std::string file;
  std::string out;  ///< default: results/<the file's stem>
  Task task = Task::run;
  Resume resume = Resume::no;
  Setting setting = Setting::full;
  std::vector<std::string> only;  ///< experiments to run; empty means all
  ProgressMode progress = ProgressMode::automatic;
  std::string version;  ///< the tool's version, for the manifest
  const SchedulerTable* schedulers =
      nullptr;  ///< schedulers of the project's own programs; outlives the sweep
};

/// Prints the conclusion from the runs in a folder: the table and the winner.
using Conclude = std::function<void(const std::string& folder)>;

/// Carries out the request. Requested output goes to `print`, progress and failures to stderr. Throws
/// UsageError for a wrong file or request, Error (run_failed) if runs failed or could not be logged, and
/// Error (interrupted) if `is_interrupted` turned true.
void do_sweep(const SweepRequest& request, const std::atomic<bool>& is_interrupted,
              const std::function<void(std::string_view)>& print, const Conclude& conclude);

}  // namespace loadshare::sweep
