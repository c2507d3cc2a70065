#include "apps/synthetic/effort.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>

#include "base/names.hpp"
#include "runtime/host/clock.hpp"

namespace loadshare::synthetic {
namespace {

/// Work for the processor: a fixed number of rounds per second of cost. A slower machine, or one with other
/// load, takes longer for the same cost, as with any real computation.
class Busy final : public Effort {
 public:
  explicit Busy(std::uint64_t rounds_per_second) : rounds_per_second_(rounds_per_second) {}

  void spend(double cost_s, Work& work) const override;
  bool uses_processor() const override { return true; }

 private:
  std::uint64_t rounds_per_second_;
};

// Reports progress as if all iterations of the chunk were equal.
void report_progress(Work& work, double share_done) {
  work.progressed(static_cast<Index>(share_done * static_cast<double>(work.chunk().size)));
}

void Busy::spend(double cost_s, Work& work) const {
  constexpr double between_looks = 1 << 20;  // about 2 ms: a cancelled chunk ends soon
  const double all = cost_s * static_cast<double>(rounds_per_second_);
  double rounds = all;
  while (rounds >= 0.5 && !work.is_cancelled()) {
    const double now = std::min(rounds, between_looks);
    compute_rounds(static_cast<std::uint64_t>(now + 0.5));
    rounds -= now;
    report_progress(work, 1 - rounds / all);
  }
}

/// The worker sleeps, to study the runtime alone with more workers than processors. A chunk sleeps once,
/// until its begin plus its total cost, so that errors of short sleeps do not add up.
class Sleep final : public Effort {
 public:
  void spend(double cost_s, Work& work) const override;
  bool uses_processor() const override { return false; }
};

void sleep_until(double wake_s) {
  timespec wake{};
  const double whole_s = std::floor(wake_s);
  wake.tv_sec = static_cast<time_t>(whole_s);
  wake.tv_nsec = static_cast<long>((wake_s - whole_s) * 1e9);
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &wake, nullptr) == EINTR) {
  }
}

void Sleep::spend(double cost_s, Work& work) const {
  constexpr double between_looks_s = 0.02;  // a cancelled chunk ends soon
  const double end_s = monotonic_s() + cost_s;
  for (double now_s = monotonic_s(); now_s < end_s && !work.is_cancelled(); now_s = monotonic_s()) {
    report_progress(work, 1 - (end_s - now_s) / cost_s);
    sleep_until(std::min(end_s, now_s + between_looks_s));
  }
}

}  // namespace

void compute_rounds(std::uint64_t rounds) {
  std::uint64_t x = rounds;
  for (; rounds > 0; --rounds) {
    x = x * 0x5851f42d4c957f2dU + 0x14057b7ef767814fU;
    x ^= x >> 29;
  }
  asm volatile("" : : "r"(x));  // keeps the loop: the compiler must assume that the result is used
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

const std::vector<EffortEntry>& effort_entries() {
  static const std::vector<EffortEntry> entries = {
      {"busy", "computes for that time on the master's host; slower hosts take longer", true,
       [](std::uint64_t rounds_per_second) -> std::unique_ptr<Effort> {
         return std::make_unique<Busy>(rounds_per_second);
       }},
      {"sleep", "sleeps for that time, on any host", false,
       [](std::uint64_t) -> std::unique_ptr<Effort> { return std::make_unique<Sleep>(); }},
  };
  return entries;
}

const EffortEntry& effort_entry(const std::string& name) {
  return row_named("--how", name, effort_entries());
}

}  // namespace loadshare::synthetic
