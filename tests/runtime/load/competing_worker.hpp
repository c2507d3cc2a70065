#pragma once

#include <algorithm>
#include <chrono>
#include <stop_token>
#include <thread>

#include "runtime/host/clock.hpp"
#include "runtime/host/scheduling.hpp"

namespace loadshare::test {

/// Computes on this processor for `seconds`, as a worker would. Returns the processor time used.
inline double compute_as_worker(int cpu, double seconds) {
  const PinnedThread pinned(cpu);
  const double end_s = monotonic_s() + seconds, cpu_before_s = thread_cpu_s();
  volatile double x = 1;
  while (monotonic_s() < end_s) x = x * 1.000001;
  return thread_cpu_s() - cpu_before_s;
}

inline void sleep_s(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

/// Sleeps repeatedly during a test, to measure how late this machine wakes sleeping threads.
class LatenessProbe {
 public:
  /// Ends the probe. Returns the largest lateness with a margin, because another thread may be later.
  double most_s() {
    thread_.request_stop();
    thread_.join();
    return worst_s_ + 0.015;
  }

 private:
  void probe(const std::stop_token& end) {
    while (!end.stop_requested()) {
      constexpr double nap_s = 0.002;
      const double begun_s = monotonic_s();
      sleep_s(nap_s);
      worst_s_ = std::max(worst_s_, monotonic_s() - begun_s - nap_s);
    }
  }

  double worst_s_ = 0;
  std::jthread thread_{[this](const std::stop_token& end) { probe(end); }};
};

}  // namespace loadshare::test
