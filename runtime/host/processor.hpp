#pragma once

#include <cstdint>

#if defined(__x86_64__)
#include <cpuid.h>
#else
#include <time.h>
#endif

// Functions that need instructions of the processor, each with a system call as replacement on other
// processors.
namespace loadshare {

/// Informs the processor that a loop only waits, so that it gives more to the other thread of its core.
inline void pause_processor() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Returns the processor's counter, whose rate is constant but unknown. It takes some 10 ns, a third of a
/// clock reading. Other processors return the clock in nanoseconds.
inline std::uint64_t processor_ticks() {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#else
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
#endif
}

/// Returns whether the ticks are a counter that, by the processor's own account (CPUID 8000_0007h, EDX bit
/// 8), has one rate on all its cores and during sleep.
inline bool has_invariant_counter() {
#if defined(__x86_64__)
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  return __get_cpuid(0x80000007, &a, &b, &c, &d) != 0 && (d & 1U << 8) != 0;
#else
  return false;
#endif
}

}  // namespace loadshare
