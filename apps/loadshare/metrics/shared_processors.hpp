#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace loadshare::tool {

/// Where a rank may run.
struct RankProcessors {
  std::string host;
  std::vector<int> cpus;  ///< empty: not known
};

/// A remark for each host whose ranks are more than the processors that they may use between them, or some of
/// whose ranks are bound to the same processors and more than those: as seen from each rank, the others of
/// its own run are other programs. `consequence` says what follows from that.
std::vector<std::string> remarks_on_shared_processors(
    const std::vector<RankProcessors>& ranks,
    std::string_view consequence = "what they take from each other counts as stolen");

}  // namespace loadshare::tool
