#pragma once

#include <string>

#include "models/calibration/calibration.hpp"

namespace loadshare::calibration {

/// By what messages of one launch go another way than those of another on the same hosts, in words: MPI's
/// version, its settings for its ways through the network, or how ranks are bound to processors. Their times
/// do not belong into one fit. Empty: nothing.
std::string ways_difference(const Launch& before, const Launch& now);

}  // namespace loadshare::calibration
