#include "runtime/profile/clock_axis.hpp"

#include <algorithm>
#include <cmath>

#include "runtime/profile/ending.hpp"

namespace loadshare::profile {
namespace {

constexpr int scale_bits = 48;
constexpr double longest_tick_ns = 16384;  ///< 2^62 in the scale

/// What the offset to rank 0's clock grows by, a nanosecond. Of a run that is over at once the two readings
/// tell their own errors only: clocks that drift apart as fast as they go are none.
double drift_between(const ClockOffset& first, const ClockOffset& last) {
  if (last.at_ns <= first.at_ns || first.at_ns <= 0) return 0;
  const double drift =
      static_cast<double>(last.ahead_ns - first.ahead_ns) / static_cast<double>(last.at_ns - first.at_ns);
  return std::abs(drift) < 1 ? drift : 0;
}

double tick_ns(const ClockPair& first, const ClockPair& last) {
  const double rate = ticks_per_ns(first, last);
  return rate > 0 ? std::min(1 / rate, longest_tick_ns / 2) : 1;
}

}  // namespace

/// The scale is rounded up, so that what is a whole number of nanoseconds remains it.
ClockAxis::ClockAxis(const Slot& slot, const SectionHeader& section) : first_ticks_(slot.first_clock.ticks) {
  const ClockOffset& offset = section.offsets[0];
  const std::int64_t here_ns = slot.first_clock.monotonic_ns;
  const double drift = drift_between(offset, section.offsets[1]);
  origin_ns_ = here_ns - offset.ahead_ns - std::llround(drift * static_cast<double>(here_ns - offset.at_ns));
  const double scale = (1 - drift) * tick_ns(slot.first_clock, last_clock(slot));
  scale_ = static_cast<std::int64_t>(std::ceil(std::ldexp(scale, scale_bits)));
}

std::int64_t ClockAxis::length_ns(std::uint64_t ticks) const {
  __extension__ using Wide = __int128;
  return static_cast<std::int64_t>((Wide{static_cast<std::int64_t>(ticks)} * scale_) >> scale_bits);
}

}  // namespace loadshare::profile
