#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/sweep/command.hpp"
#include "experiments/sweep/plan.hpp"

namespace loadshare::sweep {

/// "30 runs of 3 points"; with a stop rule "at most 90 runs of 3 points".
std::string plan_text(const Plan& plan);

/// The words that choose a part of a sweep, each with a blank in front: " --reduced --only fig3a".
std::string option_text(Setting setting, const std::vector<std::string>& only);

/// Prints every run of the plan in order, as a line for a shell each, and remarks between them that a shell
/// skips.
void print_listing(const SweepSpec& spec, Plan& plan, const std::map<std::string, Starter>& starters,
                   const std::function<void(std::string_view)>& print);

}  // namespace loadshare::sweep
