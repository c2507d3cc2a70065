#pragma once

#include <span>
#include <vector>

#include "models/communication/curve.hpp"

namespace loadshare::communication {

/// Samples of several launches as if they were of one: of each launch and size the median, moved to the
/// middle of the launches. One launch's times are some percent off another's over many sizes together, so
/// samples side by side would let the launch with the most of them, or whichever happened to take a size,
/// bend the curve. Samples of one launch are left as they are.
std::vector<Sample> level_launches(std::span<const Sample> samples);

}  // namespace loadshare::communication
