#include "runtime/profile/clock_axis.hpp"

#include <cmath>

#include "runtime/profile/ending.hpp"

namespace loadshare::profile {

ClockAxis::ClockAxis(const Slot& slot, const SectionHeader& section)
    : first_(slot.first_clock),
      ticks_per_ns_(ticks_per_ns(slot.first_clock, last_clock(slot))),
      offset_(section.offsets[0]) {
  const ClockOffset& last = section.offsets[1];
  if (!(ticks_per_ns_ > 0)) ticks_per_ns_ = 1;
  if (last.at_ns > offset_.at_ns && offset_.at_ns > 0)
    drift_ = static_cast<double>(last.ahead_ns - offset_.ahead_ns) /
             static_cast<double>(last.at_ns - offset_.at_ns);
}

std::int64_t ClockAxis::length_ns(std::uint64_t ticks) const {
  return std::llround(static_cast<double>(static_cast<std::int64_t>(ticks)) / ticks_per_ns_);
}

std::int64_t ClockAxis::instant_ns(std::uint64_t ticks) const {
  const std::int64_t here_ns = first_.monotonic_ns + length_ns(ticks - first_.ticks);
  return here_ns - offset_.ahead_ns - std::llround(drift_ * static_cast<double>(here_ns - offset_.at_ns));
}

}  // namespace loadshare::profile
