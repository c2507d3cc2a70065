#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/types.hpp"
#include "models/farm/processors.hpp"

namespace loadshare::tool {

/// A prediction is for no more hosts than that.
inline constexpr Index most_hosts = 1'000'000;

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

/// How hosts are written by hand, for help and errors.
inline constexpr const char* hosts_form = "6x0.1,3x0.3 or a=1,b=0.5";

/// Hosts by their speeds: `1,1,0.5`; several alike: `6x0.1,3x0.3`; with names: `a=1,b=0.5`, `slow=6x0.1` for
/// slow1 to slow6. A host without a name is called by its number from 1 on: host1. Throws UsageError.
std::vector<predictor::HostModel> parse_hosts_by_hand(const std::string& text);

/// Whether `text` is more likely that than the name of a file.
bool looks_written_by_hand(std::string_view text);

}  // namespace loadshare::tool
