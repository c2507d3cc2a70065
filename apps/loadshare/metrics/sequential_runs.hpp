#pragma once

#include <string>
#include <vector>

#include "apps/loadshare/metrics/groups.hpp"

namespace loadshare::tool {

/// The runs on one rank whose time is the relative sequential one of a setting.
struct SequentialRuns {
  std::vector<SourcedRun> runs;  ///< empty: there are none
  std::string source;            ///< in words: "the median of 3 runs on 1 rank"

  double time_s() const;        ///< the median
  double stolen_share() const;  ///< ditto: what others took of it
};

/// Runs of the same options that came to their end: of the setting itself, but without its background load,
/// since what a load takes is lost to the parallel run; else such ones of another experiment of the same
/// sweep on an equal host; else of the setting with its load.
SequentialRuns sequential_runs(const Groups& groups, const Setting& setting);

}  // namespace loadshare::tool
