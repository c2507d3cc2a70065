#pragma once

#include "schedulers/chunk_scheduler.hpp"
#include "schedulers/table.hpp"

namespace loadshare {

/// Performance-based: a part of the loop in one equal chunk a worker, the rest by GSS.
///
/// Choose it where iterations are known to be nearly equal: the larger the static part, the fewer messages;
/// the rest makes up for what was wrong about that.
///
/// Shih, Yang and Tseng, "A performance-based parallel loop scheduling on grid environments", J.
/// Supercomputing 41(3), 2007: the static part is the ratio of the shortest to the longest iteration. Each
/// worker's chunk of it is rounded down, so that it is no more than that part; GSS up.
class Pls final : public ChunkScheduler {
 public:
  struct Parameters {
    Index workers = 1;      ///< P; >= 1
    Index static_size = 0;  ///< of each worker's first chunk; 0: there is no static part
    Index min = 1;          ///< smallest chunk but for the last; >= 1
    Rounding round = Rounding::up;
  };

  explicit Pls(Parameters parameters)
      : parameters_(parameters), static_left_(parameters.static_size > 0 ? parameters.workers : 0) {}

  Cut next(const Request& request) override;

 private:
  Parameters parameters_;
  Index static_left_;  // chunks of the static part
};

/// The table's line for `pls[:static_ratio,min,round]`.
SchedulerEntry pls_entry();

}  // namespace loadshare
