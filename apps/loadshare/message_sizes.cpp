#include "apps/loadshare/message_sizes.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "models/messages/message_model.hpp"

namespace loadshare::tool {
namespace {

constexpr Index line_bytes = 64;  // of a processor's cache: what is shorter moves as one anyway
constexpr double jitter = 0.35;   // of the distance between two sizes
constexpr double clearly = 1.05;  // beyond what the middle halves' distance tells
constexpr double near_jump = 1.04;
constexpr Index near_threshold = 200;  // an interval of a 200th of the size is left as it is

/// From -1 to 1.
double deviation(SplitMix64& random) {
  constexpr std::uint64_t steps = 1u << 20;
  return 2 * static_cast<double>(random.below(steps + 1)) / steps - 1;
}

void add_between(std::set<Index>& sizes, Index first, Index last, int per_octave, SplitMix64& random) {
  const double octaves = std::log2(static_cast<double>(last) / static_cast<double>(first));
  const int steps = std::max(1, static_cast<int>(std::ceil(octaves * per_octave)));
  for (int i = 1; i < steps; ++i) {
    const double place = (i + jitter * deviation(random)) / steps;
    sizes.insert(std::llround(static_cast<double>(first) * std::exp2(place * octaves)));
  }
}

/// By how much times may differ where nothing but the size does.
double explained(Index smaller, Index larger) {
  return static_cast<double>(larger + line_bytes) / static_cast<double>(smaller + line_bytes);
}

bool is_jump(const Quartiles& before, const Quartiles& after, double ratio) {
  return after.low_s > before.high_s * ratio * clearly || after.high_s * clearly < before.low_s;
}

Index middle_of(Index a, Index b) {
  return a + (b - a) / 2;
}

bool needs_one_between(const SizePoint& a, const SizePoint& b) {
  const double ratio = explained(a.bytes, b.bytes);
  if (b.bytes - a.bytes < 2 || ratio < near_jump) return false;
  return is_jump(a.sender, b.sender, ratio) || is_jump(a.receiver, b.receiver, ratio);
}

}  // namespace

std::vector<Index> spread_sizes(Index least, Index most, int per_octave, SplitMix64& random) {
  std::set<Index> sizes{least, most};
  const Index first = std::clamp<Index>(1, least, most);
  const Index middle = std::clamp(line_bytes, first, most);
  sizes.insert({first, middle});
  if (first < middle) add_between(sizes, first, middle, 1, random);
  if (middle < most) add_between(sizes, middle, most, per_octave, random);
  return {sizes.begin(), sizes.end()};
}

std::vector<Jump> jumps_among(std::span<const SizePoint> points) {
  std::vector<Jump> jumps;
  for (std::size_t i = 1; i < points.size(); ++i)
    if (const Index below = points[i - 1].bytes, above = points[i].bytes;
        needs_one_between(points[i - 1], points[i]))
      jumps.push_back({middle_of(below, above), std::log2(explained(below, above))});
  return jumps;
}

std::vector<Index> sizes_at_threshold(std::span<const SizePoint> points) {
  std::vector<communication::SizeWait> sizes;
  for (const SizePoint& point : points) sizes.push_back({static_cast<double>(point.bytes), point.has_waited});
  const communication::WaitingBorder border = communication::waiting_border(sizes);
  if (!border.below_bytes || !border.above_bytes) return {};
  return {static_cast<Index>(*border.below_bytes), static_cast<Index>(*border.above_bytes)};
}

std::optional<Index> size_in_threshold(std::span<const SizePoint> points) {
  const std::vector<Index> sides = sizes_at_threshold(points);
  if (sides.empty() || sides[1] - sides[0] <= std::max<Index>(1, sides[0] / near_threshold))
    return std::nullopt;
  return middle_of(sides[0], sides[1]);
}

}  // namespace loadshare::tool
