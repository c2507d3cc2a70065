#pragma once

#include <vector>

#include "apps/loadshare/calibrate/calibrate.hpp"

namespace loadshare::tool {

/// The collective calls of the first so many ranks.
struct CollectivePlan {
  int ranks = 0;
  CollectiveOptions options;
};

/// What `loadshare calibrate` measures among so many ranks: calls of 2, 4, 8 ... and of all of them. The
/// blocks of a call are 128 MiB together at most.
std::vector<CollectivePlan> collective_plans(const CalibrateOptions& options, int ranks);

}  // namespace loadshare::tool
