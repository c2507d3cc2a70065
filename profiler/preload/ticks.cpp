#include "profiler/preload/ticks.hpp"

#include <cpuid.h>

#include <limits>

#if defined(__x86_64__)
#endif

namespace loadshare::profile {
namespace {

/// Whether the processor says so itself (CPUID 8000_0007h, EDX bit 8), and the kernel trusts it: a machine
/// whose counters disagree has another clock source.
bool counter_is_even() {
#if defined(__x86_64__)
  constexpr unsigned invariant = 1U << 8;
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  const SmallFile<256> sources("/sys/devices/system/clocksource/clocksource0/available_clocksource");
  return __get_cpuid(0x80000007, &a, &b, &c, &d) != 0 && (d & invariant) != 0 &&
         sources.text().find("tsc") != std::string_view::npos;
#else
  return false;
#endif
}

}  // namespace

void Ticks::choose() {
  has_counter_ = counter_is_even();
}

ClockPair Ticks::pair() {
  ClockPair best;
  std::uint64_t closest = std::numeric_limits<std::uint64_t>::max();
  for (int i = 0; i < 5; ++i) {
    const std::uint64_t before = now();
    const std::int64_t at_ns = nanoseconds(CLOCK_MONOTONIC);
    const std::uint64_t after = now();
    if (after - before >= closest) continue;
    closest = after - before;
    best = {before + closest / 2, at_ns};
  }
  return best;
}

}  // namespace loadshare::profile
