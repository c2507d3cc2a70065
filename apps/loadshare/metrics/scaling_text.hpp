#pragma once

#include <string>

#include "apps/loadshare/metrics/study.hpp"

namespace loadshare::tool {

/// What a person reads of one setting over several numbers of ranks, in lines of at most 100 characters: the
/// figures by granularity, and beside them the classical ones where a sequential time is known.
std::string scaling_text(const SettingStudy& setting, const Study& study);

/// Which problem keeps the wanted efficiency on how many processors.
std::string isoefficiency_text(const Study& study, double kept_efficiency);

}  // namespace loadshare::tool
