#pragma once

#include <cstddef>
#include <vector>

#include "schedulers/chunk_scheduler.hpp"
#include "schedulers/table.hpp"
#include "schedulers/workers.hpp"

namespace loadshare {

/// Adaptive: the basic size C, scaled by this worker's latest rate relative to the mean of all workers.
///
/// Choose it if some machines stay slower than others throughout the run. They get smaller chunks, so that
/// all workers ask equally often. If the load changes, past rates predict little, and `send` with the same C
/// does as well (the paper's own finding, section 4.2).
///
/// Piotrowski and Dandamudi, TR-97-14, 1997, section 3.3, parameters (C, min, max): a worker whose latest
/// rate is r gets C r / mean(r over the workers whose rate is known), rounded to nearest, within [min, max];
/// rate = iterations / response time. A worker's first chunk is C, unless its rate is known from an earlier
/// run of the same loop. Workers that have left keep their latest rate in the mean.
class Adaptive final : public ChunkScheduler {
 public:
  struct Parameters {
    Index size = 3;  ///< C; in [min, max]
    Index min = 1;   ///< >= 1
    Index max = 9;
  };

  /// Ignores learned rates that are not positive numbers or exceed any possible rate.
  explicit Adaptive(Parameters parameters, const Learned& learned = {});

  Cut next(const Request& request) override;
  /// Ignores a response time that is not positive and finite, because it gives no rate.
  void completed(const ChunkTimes& timing) override;
  /// Returns each worker's latest rate.
  Learned learned() const override { return {rates_}; }

 private:
  inline void set_rate(WorkerId worker, double latest);
  // Compares before it converts, because a large ratio does not fit in an Index.
  Index rounded_within_bounds(double size) const {
    if (!(size > min_)) return parameters_.min;
    if (size >= max_) return parameters_.max;
    return static_cast<Index>(size + 0.5);  // positive here; several times as fast as llround
  }

  Parameters parameters_;
  // The bounds as double, converted once because every decision compares with them.
  double min_ = static_cast<double>(parameters_.min);
  double max_ = static_cast<double>(parameters_.max);
  std::vector<double> rates_;  // iterations per second by worker number; 0: not known
  RunningSum rate_sum_;
  double sizes_ = 0;          // C for each worker whose rate is known
  double size_per_rate_ = 0;  // C / mean rate, kept so that a decision needs no division
};

/// Returns the table entry of `adaptive[:size,min,max]`.
SchedulerEntry adaptive_entry();

}  // namespace loadshare
