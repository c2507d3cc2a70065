#include "models/communication/curve.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace loadshare::communication {

Curve::Curve(std::vector<Segment> segments) : segments_(std::move(segments)) {
  assert(!segments_.empty());
}

const Segment& Curve::segment_of(double size) const {
  const auto after = std::ranges::upper_bound(segments_, size, {}, &Segment::first_size);
  return after == segments_.begin() ? *after : *std::prev(after);
}

double Curve::seconds(double size) const {
  const Segment& segment = segment_of(size);
  return segment.c_s * size + segment.k_s;
}

Estimate Curve::at(double size) const {
  const Segment& segment = segment_of(size);
  const double line_s = segment.c_s * size + segment.k_s;
  return {line_s, segment.low * line_s, segment.high * line_s, size < first_size() || size > last_size()};
}

}  // namespace loadshare::communication
