#pragma once

#include <map>
#include <span>

#include "runtime/timing/records.hpp"

namespace loadshare::predictor {

/// What of a control group's grant computing had: by share, from 0.5 to 1. The rest went to the same group's
/// other threads, which carry messages and look for them.
///
/// A chunk that takes c of processor time takes a + c / (share * delivered) in all, where a tells of the
/// turns in which the group is granted its time: so it is a slope, over the chunks of workers that began
/// after the shared input had come, in runs without a load. A share whose chunks are too few or too much
/// alike for a slope is left out.
std::map<double, double> delivered_shares(std::span<const RunRecord> runs);

}  // namespace loadshare::predictor
