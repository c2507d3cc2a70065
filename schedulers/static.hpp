#pragma once

#include "schedulers/chunk_scheduler.hpp"
#include "schedulers/table.hpp"

namespace loadshare {

/// Static: one chunk for each worker, as equal as possible.
///
/// Choose it if iterations have equal cost and workers are equal and undisturbed: nothing needs fewer
/// messages. In any other case the slowest worker determines the makespan.
///
/// OpenMP's schedule(static), and the baseline of every comparison in the field: P chunks of N / P, of which
/// the first N mod P have one more iteration. Iterations that are returned later are given out in one chunk.
class Static final : public ChunkScheduler {
 public:
  struct Parameters {
    Index workers = 1;  ///< P; >= 1
  };

  explicit Static(Parameters parameters) : left_(parameters.workers) {}

  Cut next(const Request& request) override;

 private:
  Index left_;  // remaining chunks, including the current one
};

/// Returns the table entry of `static`.
SchedulerEntry static_entry();

}  // namespace loadshare
