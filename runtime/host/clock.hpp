#pragma once

#include <time.h>

#include <cstdint>

#include "runtime/host/processor.hpp"

namespace loadshare {

namespace detail {
inline double read_clock_s(clockid_t id) {
  timespec now{};
  clock_gettime(id, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}
}  // namespace detail

/// Returns seconds on this host's monotonic clock, which all processes of the host share.
inline double monotonic_s() {
  return detail::read_clock_s(CLOCK_MONOTONIC);
}

/// Returns seconds on a clock that also advances while the machine is suspended.
inline double monotonic_suspended_s() {
  return detail::read_clock_s(CLOCK_BOOTTIME);
}

/// Converts processor ticks to seconds, with the rate measured since its construction. For one thread. Before
/// the first learn() a tick is one nanosecond.
class TickScale {
 public:
  double seconds(std::uint64_t ticks) const { return static_cast<double>(ticks) * seconds_per_tick_; }
  /// Measures the rate; `now_s` is monotonic_s(). The rate is the more accurate, the more time has passed
  /// since the construction.
  void learn(double now_s) {
    const std::uint64_t passed = processor_ticks() - start_;
    if (passed > 0) seconds_per_tick_ = (now_s - start_s_) / static_cast<double>(passed);
  }

 private:
  double start_s_ = monotonic_s();
  std::uint64_t start_ = processor_ticks();
  double seconds_per_tick_ = 1e-9;
};

/// Returns this thread's processor time in seconds. A system call of about half a microsecond.
inline double thread_cpu_s() {
  return detail::read_clock_s(CLOCK_THREAD_CPUTIME_ID);
}

}  // namespace loadshare
