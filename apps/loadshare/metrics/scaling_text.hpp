#pragma once

#include <string>

#include "apps/loadshare/metrics/study.hpp"

namespace loadshare::tool {

/// What a person reads of one setting over several numbers of ranks, in lines of at most 100 characters: the
/// figures by granularity, and beside them the classical ones where a sequential time is known. Ends with an
/// empty line.
std::string scaling_text(const SettingStudy& setting, const Study& study);

}  // namespace loadshare::tool
