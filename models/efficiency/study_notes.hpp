#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/efficiency/study.hpp"

namespace loadshare::granularity {

/// What a reader has to know of the figures of a point: what makes them partial, and what disturbed them.
std::vector<std::string> notes_of(const Point& point, std::optional<SpeedSource> speeds);

/// Ditto of a setting over several numbers of ranks, and of the runs behind its sequential time.
std::vector<std::string> notes_of(const SettingStudy& study, const SequentialRuns& sequential);

/// Of a profile only the command line tells what was asked for.
void add_profiles_note(Study& study);

}  // namespace loadshare::granularity
