#include "models/messages/curve.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <utility>

namespace loadshare::communication {

double Estimate::deviation() const {
  constexpr double deviations_across = 2 * 1.645;  // of the middle nine tenths of a normal distribution
  if (is_extrapolated || low_s <= 0 || std::isinf(high_s)) return 0;
  return std::log(high_s / low_s) / deviations_across;
}

Curve::Curve(std::vector<Segment> segments) : segments_(std::move(segments)) {
  assert(!segments_.empty());
  first_size_ = segments_.front().first_size;
}

Curve::Curve(std::vector<Segment> segments, double first_size) : Curve(std::move(segments)) {
  first_size_ = first_size;
}

std::size_t Curve::index_of(double size) const {
  const auto after = std::ranges::upper_bound(segments_, size, {}, &Segment::first_size);
  return after == segments_.begin() ? 0 : static_cast<std::size_t>(after - segments_.begin()) - 1;
}

double Curve::seconds(double size) const {
  const Segment& segment = segment_of(size);
  return segment.c_s * size + segment.k_s;
}

Estimate Curve::at(double size) const {
  const Segment& segment = segment_of(size);
  const double line_s = segment.c_s * size + segment.k_s;
  if (!covers(size)) return {line_s, 0, std::numeric_limits<double>::infinity(), true};
  return {line_s, segment.low * line_s, segment.high * line_s, false};
}

std::optional<double> Curve::negative_below() const {
  const Segment& first = segments_.front();
  return first.k_s < 0 ? std::optional(-first.k_s / first.c_s) : std::nullopt;
}

std::optional<double> Curve::negative_above() const {
  const Segment& last = segments_.back();
  return last.c_s < 0 ? std::optional(-last.k_s / last.c_s) : std::nullopt;
}

}  // namespace loadshare::communication
