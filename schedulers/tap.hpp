#pragma once

#include "schedulers/chunk_scheduler.hpp"
#include "schedulers/table.hpp"

namespace loadshare {

/// Taper: a fair share of the remaining iterations, minus a margin for the variation of their times.
///
/// Choose it as GSS for irregular loops with known mean and deviation. Chunks are as large as possible while
/// the workers still finish together; `alpha` determines with which confidence.
///
/// Lucco, "A dynamic scheduling method for irregular parallel programs", PLDI 1992: with T = R / P and v =
/// alpha sigma / mu a chunk is max(min, T + v^2 / 2 - v sqrt(2 T + v^2 / 4)), rounded up. Without deviation
/// it is GSS.
class Tap final : public ChunkScheduler {
 public:
  struct Parameters {
    Index workers = 1;  ///< P; >= 1
    double v = 0;       ///< alpha sigma / mu; >= 0
    Index min = 1;      ///< smallest chunk, except the last; >= 1
    Rounding round = Rounding::up;
  };

  explicit Tap(Parameters parameters)
      : parameters_(parameters), per_worker_(1 / static_cast<double>(parameters.workers)) {}

  Cut next(const Request& request) override;

 private:
  Parameters parameters_;
  double per_worker_;
};

/// Returns the table entry of `tap[:mu,sigma,alpha,min,round]`.
SchedulerEntry tap_entry();

}  // namespace loadshare
