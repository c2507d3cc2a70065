#pragma once

#include <span>
#include <string>
#include <vector>

#include "models/program/scaling/law.hpp"

namespace loadshare::scaling {

/// The parameters that `settings` never vary apart, as n and p of runs that all have n = 20 p, if `wanted`
/// does: what either of them does cannot be told from what the other does. None where all vary apart, or
/// where `wanted` lies on their line. They may go together as factors or as summands. Parameters with one
/// value are left out. `settings`: at least one, all with the same parameters as `wanted`, positive ones.
std::vector<std::string> confounded(std::span<const Setting> settings, const Setting& wanted);

}  // namespace loadshare::scaling
