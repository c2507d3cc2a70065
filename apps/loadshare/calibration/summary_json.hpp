#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "apps/loadshare/calibration/pair_fit.hpp"
#include "models/calibration/calibration.hpp"

namespace loadshare::tool {

/// What `calibration show --json` writes, and what draws it reads: launches, and of each pair and kind the
/// medians and ranges by size, and the lines of its fit, where it has one. The fit's segments are here and
/// not in the calibration itself, which keeps what was measured: a launch more, or a better fit, would leave
/// them behind.
nlohmann::ordered_json summary_json(const calibration::Calibration& calibration,
                                    const std::vector<PairFit>& fits);

}  // namespace loadshare::tool
