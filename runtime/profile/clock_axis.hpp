#pragma once

#include "runtime/profile/format.hpp"

namespace loadshare::profile {

/// From one rank's ticks to rank 0's clock. Instants and lengths are by one scale, in whole numbers, and
/// rounded down: then neither a part nor the sum of some parts is ever longer than the whole they are of,
/// whether that is a length or lies between two instants.
class ClockAxis final {
 public:
  ClockAxis(const Slot& slot, const SectionHeader& section);

  /// CLOCK_MONOTONIC of rank 0's kernel. Never less for a later tick.
  std::int64_t instant_ns(std::uint64_t ticks) const { return origin_ns_ + length_ns(ticks - first_ticks_); }
  /// Of ticks that went by; of fewer than none less than nothing.
  std::int64_t length_ns(std::uint64_t ticks) const;

 private:
  std::uint64_t first_ticks_;
  std::int64_t origin_ns_;  ///< rank 0's clock at the first tick
  std::int64_t scale_;      ///< 2^-48 nanoseconds of rank 0 that a tick takes
};

}  // namespace loadshare::profile
