#include "apps/synthetic/sleep.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>

#include "runtime/timing/clock.hpp"

namespace loadshare::synthetic {
namespace {

void sleep_until(double wake_s) {
  timespec wake{};
  const double whole_s = std::floor(wake_s);
  wake.tv_sec = static_cast<time_t>(whole_s);
  wake.tv_nsec = static_cast<long>((wake_s - whole_s) * 1e9);
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &wake, nullptr) == EINTR) {
  }
}

}  // namespace

void Sleep::spend(double cost_s, const Work& work) const {
  constexpr double between_looks_s = 0.02;  // a cancelled chunk ends soon
  const double end_s = monotonic_s() + cost_s;
  for (double now_s = monotonic_s(); now_s < end_s && !work.is_cancelled(); now_s = monotonic_s())
    sleep_until(std::min(end_s, now_s + between_looks_s));
}

}  // namespace loadshare::synthetic
