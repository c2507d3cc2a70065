#include "apps/synthetic/rounds.hpp"

#include <algorithm>

#include "runtime/timing/clock.hpp"

namespace loadshare::synthetic {

void compute_rounds(std::uint64_t rounds) {
  std::uint64_t x = rounds;
  for (; rounds > 0; --rounds) {
    x = x * 0x5851f42d4c957f2dU + 0x14057b7ef767814fU;
    x ^= x >> 29;
  }
  asm volatile("" : : "r"(x));  // the result is wanted, says this, so the loop cannot be left out
}

std::uint64_t measure_rounds_per_second() {
  constexpr int trials = 15;
  constexpr double trial_s = 2e-3;
  std::uint64_t rounds = 1 << 10;
  double best_per_s = 1;
  for (int trial = 0; trial < trials;) {
    const double begun_s = thread_cpu_s();
    compute_rounds(rounds);
    const double took_s = thread_cpu_s() - begun_s;
    if (took_s < trial_s / 2) {
      rounds *= 2;
      continue;
    }
    best_per_s = std::max(best_per_s, static_cast<double>(rounds) / took_s);
    ++trial;
  }
  return static_cast<std::uint64_t>(best_per_s);
}

}  // namespace loadshare::synthetic
