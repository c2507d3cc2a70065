#pragma once

#include <cstdint>

#if defined(__x86_64__)
#include <cpuid.h>
#else
#include <time.h>
#endif

// What only a processor's own instructions give, each with a way of the system's for the processors not named
// here.
namespace loadshare {

/// Tells the processor that a loop only waits: it leaves more to whoever shares its core.
inline void pause_processor() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// The processor's own counter, of a constant but unknown rate: some 10 ns, a third of a look at the clock.
/// Elsewhere the clock's nanoseconds.
inline std::uint64_t processor_ticks() {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#else
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
#endif
}

/// Whether the ticks are a counter that, as the processor says itself (CPUID 8000_0007h, EDX bit 8), runs at
/// one rate on all its cores and through sleep.
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
