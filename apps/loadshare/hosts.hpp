#pragma once

#include <string>
#include <vector>

#include "apps/loadshare/hosts_by_hand.hpp"

namespace loadshare::tool {

/// The hosts that a person means, in the order of ranks. `text` is
///
/// - a lab file's path: its shares become grants, of a kernel tick of 4 ms; shares of 1 and more none; every
///   host is as fast as another (speed 1), because the lab's machine is;
/// - the path of what `loadshare survey` wrote: a host a rank, speeds in GFLOP/s, as granted and as available
///   then; ranks of one host have its name in common; of links it knows nothing;
/// - or hosts by hand, see hosts_form, unless there is a file of that name.
///
/// Throws UsageError: what is wrong, with its place in the file; of a missing file, which was perhaps meant.
std::vector<predictor::HostModel> read_hosts(const std::string& text);

}  // namespace loadshare::tool
