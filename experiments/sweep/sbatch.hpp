#pragma once

#include <string>

#include "experiments/sweep/spec.hpp"

namespace loadshare::sweep {

/// What the script needs besides the sweep: absolute paths, and the words behind FILE.
struct BatchJob {
  std::string tool;
  std::string file;
  std::string folder;
  std::string more;  ///< " --only fig3a --reduced", as a shell reads it
};

/// A Slurm script that runs the whole sweep in one allocation, large enough for its largest run. It goes on
/// where an earlier one stopped, so that it can be submitted again after its time was up. Throws UsageError
/// where the sweep cannot run under Slurm.
std::string batch_script(const SweepSpec& spec, const BatchJob& job);

}  // namespace loadshare::sweep
