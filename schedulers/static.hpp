#pragma once

#include "schedulers/chunk_scheduler.hpp"
#include "schedulers/table.hpp"

namespace loadshare {

/// Static: one chunk for each worker, all of them as equal as they can be.
///
/// Choose it where iterations cost the same and workers are alike and undisturbed: nothing takes fewer
/// messages. Everything else decides its makespan by the slowest worker.
///
/// OpenMP's schedule(static), and the baseline of every comparison in the field: P chunks of N / P, of which
/// the first N mod P have one iteration more. What comes back after that is given whole.
class Static final : public ChunkScheduler {
 public:
  struct Parameters {
    Index workers = 1;  ///< P; >= 1
  };

  explicit Static(Parameters parameters) : left_(parameters.workers) {}

  Cut next(const Request& request) override;

 private:
  Index left_;  // chunks, this one among them
};

/// The table's line for `static`.
SchedulerEntry static_entry();

}  // namespace loadshare
