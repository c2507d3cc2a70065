#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <new>
#include <span>
#include <string>

#include "base/error.hpp"
#include "base/io/descriptor.hpp"
#include "runtime/farm/workload.hpp"

namespace loadshare::bench {

/// Number and sum of the iterations that a worker was given, on a cache line of its own.
struct alignas(64) Tally {
  Index count = 0;
  Index sum = 0;
};

inline Tally sum_of(std::span<const Tally> tallies) {
  Tally all;
  for (const Tally& tally : tallies) {
    all.count += tally.count;
    all.sum += tally.sum;
  }
  return all;
}

/// Throws unless each iteration from 0 on was given out exactly once.
inline void require_each_once(const Tally& all, Index iterations) {
  if (all.count != iterations || all.sum != iterations * (iterations - 1) / 2)
    throw Error(
        ExitCode::run_failed, "the run is wrong",
        std::to_string(all.count) + " iterations were computed instead of " + std::to_string(iterations));
}

/// Returns tallies that this process shares with those that it forks later.
inline std::span<Tally> shared_tallies(std::size_t count) {
  void* memory =
      mmap(nullptr, count * sizeof(Tally), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw_errno("no memory");
  return {new (memory) Tally[count], count};
}

/// A loop without work. Each worker counts its iterations in its own tally.
class EmptyLoop final : public Workload {
 public:
  EmptyLoop(Index iterations, std::span<Tally> tallies) : iterations_(iterations), tallies_(tallies) {}

  Index iterations() const override { return iterations_; }
  void compute(Work& work) override {
    const Chunk chunk = work.chunk();
    Tally& tally = tallies_[to_number(work.worker())];
    tally.count += chunk.size;
    tally.sum += chunk.size * chunk.first + chunk.size * (chunk.size - 1) / 2;
  }

 private:
  Index iterations_;
  std::span<Tally> tallies_;
};

}  // namespace loadshare::bench
