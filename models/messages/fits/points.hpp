#pragma once

#include <span>
#include <vector>

#include "models/messages/curve.hpp"

namespace loadshare::communication {

/// What the samples of one size say together.
struct Point {
  double size = 0;
  double seconds = 0;  ///< their median: what a shared machine delays now and then does not move it
  /// The relative standard deviation of such medians about a smooth curve.
  double noise = 0;
};

/// The points of the samples, in the order of their sizes, at most `most`: where there are more sizes,
/// neighbours are put together. Launches count alike (see level_launches), however many samples they have.
std::vector<Point> points_of(std::span<const Sample> samples, std::size_t most);

/// Samples of several launches as if they were of one: of each launch and size the median, moved to the
/// middle of the launches. One launch's times are some percent off another's over many sizes together, so
/// samples side by side would let the launch with the most of them, or whichever happened to take a size,
/// bend the curve. Samples of one launch are left as they are.
std::vector<Sample> level_launches(std::span<const Sample> samples);

}  // namespace loadshare::communication
