#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "experiments/lab/state.hpp"

namespace loadshare::lab {

/// Processor number -> the sum of the shares placed on it.
using ProcessorLoads = std::map<int, double>;

/// Places hosts with these shares on processors: one each, or as many as a share above 1 needs. Takes the
/// largest share first and the least loaded processors for it, so that the sums are balanced (longest
/// processing time rule, Graham 1969). `loads` has every usable processor with its present load, and is
/// updated. Returns nothing if a host needs more processors than there are.
std::optional<std::vector<std::vector<int>>> place_hosts(std::span<const double> shares,
                                                         ProcessorLoads& loads);

/// The result of `up` or `down`.
enum class Outcome { done, nothing_to_do };

struct UpResult {
  Outcome outcome = Outcome::done;
  LabState state;
};

/// Makes a lab for `user`. If the same lab is up already, adds the user and returns nothing_to_do. First
/// removes what an interrupted `up` or `down` of that name left. Throws UsageError if another lab of that
/// name is up, if the machine has too few processors, or if rights or programs are missing. Throws Error
/// (run_failed) if making it fails; then nothing of it is left.
UpResult up(const LabPlan& plan, const std::string& file, const std::string& user);

/// Kills every process in the lab and removes everything that `up` made, also after an interrupted `up`.
Outcome down(const std::string& name);

/// Removes `user` from the lab and takes it down if it has no other user. Returns nothing_to_do if it has, or
/// if it has no such user.
Outcome release(const std::string& name, const std::string& user);

}  // namespace loadshare::lab
