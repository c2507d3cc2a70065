#pragma once

#include <vector>

#include "apps/loadshare/metrics/study.hpp"

namespace loadshare::tool {

/// What the model says of `runs`, which have one setting and one number of ranks. Throws UsageError where a
/// run is among them twice, and where what was asked for does not fit them.
Point point_of(std::vector<SourcedRun> runs, const granularity::SequentialTimes& sequential,
               const SpeedBasis& speeds);

}  // namespace loadshare::tool
