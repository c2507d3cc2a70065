#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "experiments/lab/state.hpp"

namespace loadshare::lab {

/// Processor number -> the sum of the shares that lie on it.
using ProcessorLoads = std::map<int, double>;

/// Gives each host of these shares a processor of its own kind: one, or as many as a share above 1 needs. The
/// greatest share first, each to the least loaded processors, so that the sums are balanced (the longest
/// processing time rule, Graham 1969). `loads` has every processor that may be used, with what lies on it
/// already, and is brought up to date. Nothing when a host needs more processors than there are.
std::optional<std::vector<std::vector<int>>> place_hosts(std::span<const double> shares,
                                                         ProcessorLoads& loads);

/// What `up` or `down` came to.
enum class Outcome { done, nothing_to_do };

struct UpResult {
  Outcome outcome = Outcome::done;
  LabState state;
};

/// Makes a lab for `user`; nothing_to_do when the same is up already: it has one user more then. What an
/// earlier `up` or `down` of that name left half done is cleared away first. Throws UsageError when another
/// lab of that name is up, when the machine has too few processors, and when rights or programs are missing;
/// Error (run_failed) when making it fails: nothing is left of it then.
UpResult up(const LabPlan& plan, const std::string& file, const std::string& user);

/// Ends every process in the lab and removes all that `up` made, or the part that it came to.
Outcome down(const std::string& name);

/// `user` needs the lab no longer: takes it down where nobody else does. nothing_to_do where others do, or
/// where it has no such user.
Outcome let_go(const std::string& name, const std::string& user);

}  // namespace loadshare::lab
