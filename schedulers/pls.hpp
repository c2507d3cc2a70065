#pragma once

#include "schedulers/chunk_scheduler.hpp"
#include "schedulers/table.hpp"

namespace loadshare {

/// Performance-based loop scheduling: one part of the loop in one equal chunk per worker, the rest by GSS.
///
/// Choose it if iterations are known to be nearly equal. The larger the static part, the fewer messages; the
/// rest compensates for its imbalance.
///
/// Shih, Yang and Tseng, "A performance-based parallel loop scheduling on grid environments", J.
/// Supercomputing 41(3), 2007: the static part is the ratio of the shortest to the longest iteration. Each
/// worker's chunk of it is rounded down, so that it never exceeds that part; GSS rounds up.
class Pls final : public ChunkScheduler {
 public:
  struct Parameters {
    Index workers = 1;      ///< P; >= 1
    Index static_size = 0;  ///< size of each worker's first chunk; 0: no static part
    Index min = 1;          ///< smallest chunk, except the last; >= 1
    Rounding round = Rounding::up;
  };

  explicit Pls(Parameters parameters)
      : parameters_(parameters), static_left_(parameters.static_size > 0 ? parameters.workers : 0) {}

  Cut next(const Request& request) override;

 private:
  Parameters parameters_;
  Index static_left_;  // remaining chunks of the static part
};

/// Returns the table entry of `pls[:static_ratio,min,round]`.
SchedulerEntry pls_entry();

}  // namespace loadshare
