#pragma once

#include <string>

#include "models/calibration/calibration.hpp"

namespace loadshare::tool {

/// What a person reads of a calibration: hosts, versions, pairs with times at some sizes, rates of chunks.
std::string calibration_text(const calibration::Calibration& calibration);

}  // namespace loadshare::tool
