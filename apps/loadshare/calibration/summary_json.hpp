#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "models/calibration/calibration.hpp"

namespace loadshare::tool {

/// What `calibration show --json` writes, and what draws it reads: launches, and of each pair and kind the
/// medians and ranges by size, and the lines that the fit of that name lays through them (none where it
/// cannot).
nlohmann::ordered_json summary_json(const calibration::Calibration& calibration, const std::string& fit);

}  // namespace loadshare::tool
