#pragma once

#include <cstddef>
#include <vector>

#include "schedulers/chunk_scheduler.hpp"
#include "schedulers/table.hpp"
#include "schedulers/workers.hpp"

namespace loadshare {

/// Adaptive: the basic size C, scaled by how fast this worker was lately beside the others.
///
/// Choose it when some machines stay slower than others throughout: they are given less at a time, so that
/// all ask equally often. Where the load comes and goes, the past says little of the future, and `send` with
/// the same C does as well (the paper's own finding, section 4.2).
///
/// Piotrowski and Dandamudi, TR-97-14, 1997, section 3.3, parameters (C, min, max): a worker whose latest
/// rate is r gets C r / mean(r over the workers whose rate is known), rounded to nearest, within [min, max];
/// rate = iterations / response time. A worker's first chunk is C, unless its rate is known from when the
/// same loop last ran. Workers that went away keep their latest rate in the mean.
class Adaptive final : public ChunkScheduler {
 public:
  struct Parameters {
    Index size = 3;  ///< C; in [min, max]
    Index min = 1;   ///< >= 1
    Index max = 9;
  };

  /// Of what was learned, rates that are no positive number, or more than any worker's can be, are ignored.
  explicit Adaptive(Parameters parameters, const Learned& learned = {});

  Cut next(const Request& request) override;
  /// Ignores a response time that is no positive, finite number: it says nothing about the rate.
  void completed(const ChunkTimes& timing) override;
  /// Each worker's latest rate.
  Learned learned() const override { return {rates_}; }

 private:
  inline void set_rate(WorkerId worker, double latest);
  // Compared before it is converted: a large ratio does not fit in an Index.
  Index rounded_within_bounds(double size) const {
    if (!(size > min_)) return parameters_.min;
    if (size >= max_) return parameters_.max;
    return static_cast<Index>(size + 0.5);  // positive here; several times as fast as llround
  }

  Parameters parameters_;
  // The bounds again, converted once: every decision compares with them.
  double min_ = static_cast<double>(parameters_.min);
  double max_ = static_cast<double>(parameters_.max);
  std::vector<double> rates_;  // iterations per second by worker number; 0: not known
  RunningSum rate_sum_;
  double sizes_ = 0;          // C for each worker whose rate is known
  double size_per_rate_ = 0;  // C / mean rate, kept so that a decision needs no division
};

/// The table's line for `adaptive[:size,min,max]`.
SchedulerEntry adaptive_entry();

}  // namespace loadshare
