#pragma once

#include <chrono>
#include <thread>

#include "runtime/load/pinned_thread.hpp"
#include "runtime/timing/clock.hpp"

namespace loadshare::test {

/// Computes on that processor for so long, as a worker would; returns the processor time it got.
inline double compute_beside(int cpu, double seconds) {
  const PinnedThread pinned(cpu);
  const double end_s = monotonic_s() + seconds, cpu_before_s = thread_cpu_s();
  volatile double x = 1;
  while (monotonic_s() < end_s) x = x * 1.000001;
  return thread_cpu_s() - cpu_before_s;
}

inline void sleep_s(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

}  // namespace loadshare::test
