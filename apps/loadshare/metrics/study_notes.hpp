#pragma once

#include <string>
#include <vector>

#include "apps/loadshare/metrics/sequential_runs.hpp"
#include "apps/loadshare/metrics/study.hpp"

namespace loadshare::tool {

/// What a reader has to know of the figures of a point: what makes them partial, and what disturbed them.
std::vector<std::string> notes_of(const Point& point, std::optional<granularity::SpeedSource> speeds);

/// Ditto of a setting over several numbers of ranks, and of the runs behind its sequential time.
std::vector<std::string> notes_of(const SettingStudy& study, const SequentialRuns& sequential);

}  // namespace loadshare::tool
