#pragma once

#include <span>

#include "models/communication/curve.hpp"

namespace loadshare::communication {

/// Lines between the jumps and kinks that the samples show: where MPI changes its protocol, where caches and
/// socket buffers end. For all that is to be foreseen.
///
/// The medians of each size are cut into segments of three sizes or more (five where sizes are hardly
/// repeated), so that the loss of a robust line in each (see robust_line) and 3 log(sizes) a segment are
/// least together: that is Schwarz's criterion for the slope, the start and the place of the cut, with the
/// noise taken from neighbouring sizes. Deviations count by their share of the time, so 64 bytes weigh as
/// much as 4 MB. No line falls, nor is any negative where it is used: below the measured sizes the first
/// gives way to one through the origin of half its slope, if it must. Segments meet where their lines cross,
/// if that is between their sizes; else there is a jump in the middle between them.
Curve fit_segmented(std::span<const Sample> samples);

}  // namespace loadshare::communication
