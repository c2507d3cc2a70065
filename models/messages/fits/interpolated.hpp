#pragma once

#include <span>
#include <vector>

#include "models/messages/curve.hpp"

namespace loadshare::communication {

/// What times of one size come to: the mean without the least and the greatest tenth. There are some.
double trimmed_mean(std::vector<double> seconds);

/// Straight lines from each size's time to the next one's, for times that follow no line over long:
/// collective calls, whose algorithm changes with the size. A size's time is the mean without the least and
/// the greatest tenth, as what calls take adds up, but single disturbances are not of the call. Of sizes with
/// few samples, as the largest have, the neighbours speak with them. Below the smallest size its time stands,
/// above the largest the slope of the last three. Costs are never negative. One size is enough; where nothing
/// is repeated the interval is 0 to infinity. Throws UsageError on negative sizes and on times that are not
/// more than 0; `samples` is not empty.
Curve fit_interpolated(std::span<const Sample> samples);

}  // namespace loadshare::communication
