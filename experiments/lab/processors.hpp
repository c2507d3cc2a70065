#pragma once

#include <map>
#include <optional>
#include <span>
#include <vector>

namespace loadshare::lab {

/// Processor number -> the sum of the shares that lie on it.
using ProcessorLoads = std::map<int, double>;

/// Gives each host of these shares a processor of its own kind: one, or as many as a share above 1 needs. The
/// greatest share first, each to the least loaded processors, so that the sums are balanced (the longest
/// processing time rule, Graham 1969). `loads` has every processor that may be used, with what lies on it
/// already, and is brought up to date. Nothing when a host needs more processors than there are.
std::optional<std::vector<std::vector<int>>> place_hosts(std::span<const double> shares,
                                                         ProcessorLoads& loads);

}  // namespace loadshare::lab
