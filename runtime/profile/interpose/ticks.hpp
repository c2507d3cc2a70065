#pragma once

#include <cstdint>
#include <ctime>

#include "runtime/profile/format.hpp"

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace loadshare::profile {

inline std::int64_t nanoseconds(clockid_t clock) {
  timespec at{};
  clock_gettime(clock, &at);
  return static_cast<std::int64_t>(at.tv_sec) * 1'000'000'000 + at.tv_nsec;
}

/// What events are stamped with: the processor's counter where it runs evenly on all processors and through
/// sleep (10 ns a reading where clock_gettime takes 24), else CLOCK_MONOTONIC itself.
class Ticks final {
 public:
  /// Finds out which; before it CLOCK_MONOTONIC is taken.
  static void choose();
  static std::uint64_t now() {
#if defined(__x86_64__)
    if (has_counter_) return __rdtsc();
#endif
    return static_cast<std::uint64_t>(nanoseconds(CLOCK_MONOTONIC));
  }
  /// Both clocks at once, as far as that goes: the closest of a few readings.
  static ClockPair pair();

 private:
  inline static bool has_counter_ = false;
};

}  // namespace loadshare::profile
