#pragma once

#include "runtime/profile/format.hpp"

namespace loadshare::profile {

/// From one rank's ticks to rank 0's clock.
class ClockAxis final {
 public:
  ClockAxis(const Slot& slot, const SectionHeader& section);

  /// CLOCK_MONOTONIC of rank 0's kernel.
  std::int64_t instant_ns(std::uint64_t ticks) const;
  std::int64_t length_ns(std::uint64_t ticks) const;

 private:
  ClockPair first_;
  double ticks_per_ns_;
  ClockOffset offset_;
  double drift_ = 0;  ///< what the offset grows by, a nanosecond
};

}  // namespace loadshare::profile
