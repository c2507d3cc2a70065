#pragma once

#include <time.h>

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

/// Processor time this thread has used, in seconds. A system call: about half a microsecond.
inline double thread_cpu_s() {
  return detail::read_clock_s(CLOCK_THREAD_CPUTIME_ID);
}

}  // namespace loadshare
