#pragma once

#include <string>

#include "apps/loadshare/metrics/study.hpp"

namespace loadshare::tool {

/// What a person reads of one setting on one number of ranks, in lines of at most 100 characters: each figure
/// with a sentence on what it means, then the ranks. With more than 32 ranks the middle ones are left out.
std::string point_text(const Point& point, const SettingStudy& setting);

}  // namespace loadshare::tool
