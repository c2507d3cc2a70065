#pragma once

#include <vector>

#include "apps/loadshare/metrics/study.hpp"

namespace loadshare::tool {

/// Which problem keeps the efficiency at `kept`, over settings that are sizes of one problem. Throws
/// UsageError where they differ in anything but options that set a size, or where there is only one.
std::vector<granularity::IsoefficiencyPoint> isoefficiency_of(const std::vector<SettingStudy>& settings,
                                                              double kept);

}  // namespace loadshare::tool
