#pragma once

#include <string>
#include <vector>

namespace loadshare::tool {

/// Where a rank may run.
struct RankProcessors {
  std::string host;
  std::vector<int> cpus;  ///< empty: not known
};

/// A remark for each host whose ranks are more than the processors that they may use between them, or some of
/// whose ranks are bound to the same processors and more than those: as seen from each rank, the others of
/// its own run are other programs.
std::vector<std::string> remarks_on_shared_processors(const std::vector<RankProcessors>& ranks);

}  // namespace loadshare::tool
