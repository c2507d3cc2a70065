#pragma once

#include <cstdint>

#include "base/random.hpp"
#include "schedulers/chunk_scheduler.hpp"
#include "schedulers/table.hpp"

namespace loadshare {

/// Random: each size between `min` and `max` is as likely as any other; the same seed gives the same sizes.
///
/// Choose it as a control: a technique that is no better than this one has not earned its rule.
///
/// Ciorba, Iwainsky and Buder, "OpenMP loop scheduling revisited: making a case for more schedules", IWOMP
/// 2018: from N / (100 P) to N / (2 P).
class Rnd final : public ChunkScheduler {
 public:
  struct Parameters {
    Index min = 1;           ///< >= 1
    Index max = 1;           ///< >= min
    std::uint64_t seed = 1;  ///< of the sizes
  };

  explicit Rnd(Parameters parameters);

  Cut next(const Request& request) override;

 private:
  Index min_;
  double choices_;  // how many sizes there are
  SplitMix64 random_;
};

/// The table's line for `rnd[:min,max,seed]`.
SchedulerEntry rnd_entry();

}  // namespace loadshare
