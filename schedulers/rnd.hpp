#pragma once

#include <cstdint>

#include "base/random.hpp"
#include "schedulers/chunk_scheduler.hpp"
#include "schedulers/table.hpp"

namespace loadshare {

/// Random: sizes drawn uniformly from [min, max]. The same seed gives the same sizes.
///
/// Choose it as a control in comparisons: a technique that is not better than this one has no use.
///
/// Ciorba, Iwainsky and Buder, "OpenMP loop scheduling revisited: making a case for more schedules", IWOMP
/// 2018: from N / (100 P) to N / (2 P).
class Rnd final : public ChunkScheduler {
 public:
  struct Parameters {
    Index min = 1;  ///< >= 1
    Index max = 1;  ///< >= min
    std::uint64_t seed = 1;
  };

  explicit Rnd(Parameters parameters);

  Cut next(const Request& request) override;

 private:
  Index min_;
  double choices_;  // number of possible sizes
  SplitMix64 random_;
};

/// Returns the table entry of `rnd[:min,max,seed]`.
SchedulerEntry rnd_entry();

}  // namespace loadshare
