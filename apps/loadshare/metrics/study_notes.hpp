#pragma once

#include <string>
#include <vector>

#include "apps/loadshare/metrics/study.hpp"

namespace loadshare::tool {

/// What a reader has to know of the figures of a point: what makes them partial, and what disturbed them.
std::vector<std::string> notes_of(const Point& point);

/// Ditto of a setting over several numbers of ranks.
std::vector<std::string> notes_of(const SettingStudy& study);

/// In words, where the relative sequential time comes from: "the median of 3 runs on 1 rank".
std::string sequential_source(const std::vector<SourcedRun>& runs_on_one_rank);

}  // namespace loadshare::tool
