#include "profiler/preload/ticks.hpp"

#include <limits>

namespace loadshare::profile {
namespace {

/// Returns whether the processor's counter is invariant by its own account, and the kernel trusts it. On
/// machines whose counters disagree the kernel uses another clock source.
bool counter_is_even() {
  const SmallFile<256> sources("/sys/devices/system/clocksource/clocksource0/available_clocksource");
  return has_invariant_counter() && sources.text().find("tsc") != std::string_view::npos;
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
