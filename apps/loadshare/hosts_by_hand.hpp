#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/types.hpp"
#include "models/farm/processors.hpp"

namespace loadshare::tool {

/// A prediction is for no more hosts than that.
inline constexpr Index most_hosts = 1'000'000;

/// How hosts are written by hand, for help and errors.
inline constexpr const char* hosts_form = "6x0.1,3x0.3 or a=1,b=0.5";

/// Hosts by their speeds: `1,1,0.5`; several alike: `6x0.1,3x0.3`; with names: `a=1,b=0.5`, `slow=6x0.1` for
/// slow1 to slow6. A host without a name is called by its number from 1 on: host1. Throws UsageError.
std::vector<predictor::HostModel> parse_hosts_by_hand(const std::string& text);

/// Whether `text` is more likely that than the name of a file.
bool looks_written_by_hand(std::string_view text);

}  // namespace loadshare::tool
