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

/// Returns "30 runs of 3 points"; with a stop rule "at most 90 runs of 3 points".
std::string plan_text(const Plan& plan);

/// Returns the options that select a part of a sweep, each with a blank in front: " --reduced --only fig3a".
std::string option_text(Setting setting, const std::vector<std::string>& only);

/// Prints every run of the plan in order, each as a line for a shell, with shell comments in between.
void print_listing(const SweepSpec& spec, Plan& plan, const std::map<std::string, Starter>& starters,
                   const std::function<void(std::string_view)>& print);

/// The paths (absolute) and the options after FILE of a batch script.
struct BatchJob {
  std::string tool;
  std::string file;
  std::string folder;
  std::string more;  ///< " --only fig3a --reduced", as a shell reads it
};

/// Returns a Slurm script that runs the whole sweep in one allocation that fits its largest run. The script
/// resumes the sweep, so it can be submitted again after its time limit. Throws UsageError if the sweep
/// cannot run under Slurm.
std::string batch_script(const SweepSpec& spec, const BatchJob& job);

}  // namespace loadshare::sweep
