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

/// Seconds on this host's monotonic clock; one clock for all processes of the host.
inline double monotonic_s() {
  return detail::read_clock_s(CLOCK_MONOTONIC);
}

/// The same, but the clock goes on while the machine is suspended.
inline double monotonic_suspended_s() {
  return detail::read_clock_s(CLOCK_BOOTTIME);
}

/// Turns processor ticks into seconds, by how many of them went by since it was made. Of one thread; before
/// it has learnt anything, a tick is a nanosecond.
class TickScale {
 public:
  double seconds(std::uint64_t ticks) const { return static_cast<double>(ticks) * seconds_per_tick_; }
  /// Takes the clock's word for how much time has gone by (`now_s` by monotonic_s); the longer ago it was
  /// made, the better it knows.
  void learn(double now_s) {
    const std::uint64_t passed = processor_ticks() - start_;
    if (passed > 0) seconds_per_tick_ = (now_s - start_s_) / static_cast<double>(passed);
  }

 private:
  double start_s_ = monotonic_s();
  std::uint64_t start_ = processor_ticks();
  double seconds_per_tick_ = 1e-9;
};

/// Processor time this thread has used, in seconds. A system call: about half a microsecond.
inline double thread_cpu_s() {
  return detail::read_clock_s(CLOCK_THREAD_CPUTIME_ID);
}

}  // namespace loadshare
