#pragma once

#include <map>
#include <string>
#include <vector>

#include "apps/loadshare/metrics/sources.hpp"

namespace loadshare::tool {

/// The runs of one setting, by how many ranks they have.
using RunsByRanks = std::map<std::size_t, std::vector<SourcedRun>>;
using Groups = std::map<Setting, RunsByRanks>;

/// Groups the runs of all sources. A run that was cut short is left out beside ones of its kind that were
/// not; what was left out of the files and of the groups is added to `notes`.
Groups grouped(std::vector<Source> sources, std::vector<std::string>& notes);

}  // namespace loadshare::tool
