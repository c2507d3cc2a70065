#pragma once

#include <span>

#include "models/communication/curve.hpp"

namespace loadshare::communication {

/// Straight lines from each size's median to the next one's, for times that follow no line over long:
/// collective calls, whose algorithm changes with the size, and which large messages repeat too few times to
/// tell noise from kinks. The band is that of the samples at the sizes around, of launches side by side.
/// Below the smallest size its median, above the largest the slope of the last three sizes. Costs are never
/// negative. One size is enough. Throws UsageError on negative sizes and on times that are not more than 0;
/// `samples` is not empty.
Curve fit_interpolated(std::span<const Sample> samples);

}  // namespace loadshare::communication
