#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/sweep/command.hpp"
#include "experiments/sweep/plan.hpp"
#include "experiments/sweep/spec.hpp"

namespace loadshare::sweep {

/// "30 runs of 3 points"; with a stop rule "at most 90 runs of 3 points".
std::string plan_text(const Plan& plan);

/// The words that choose a part of a sweep, each with a blank in front: " --reduced --only fig3a".
std::string option_text(Setting setting, const std::vector<std::string>& only);

/// Prints every run of the plan in order, as a line for a shell each, and remarks between them that a shell
/// skips.
void print_listing(const SweepSpec& spec, Plan& plan, const std::map<std::string, Starter>& starters,
                   const std::function<void(std::string_view)>& print);

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
