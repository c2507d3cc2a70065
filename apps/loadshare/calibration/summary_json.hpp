#pragma once

#include <nlohmann/json.hpp>

#include "models/calibration/calibration.hpp"

namespace loadshare::tool {

/// What `calibration show --json` writes, and what draws it reads: launches, and of each pair and kind the
/// medians and ranges by size.
nlohmann::ordered_json summary_json(const calibration::Calibration& calibration);

}  // namespace loadshare::tool
