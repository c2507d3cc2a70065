#pragma once

#include <vector>

#include "schedulers/chunk_scheduler.hpp"
#include "schedulers/table.hpp"

namespace loadshare {

/// Adaptive: the basic size C, scaled by how fast this worker was lately beside the others.
///
/// Choose it when some machines stay slower than others throughout: they are given less at a time, so that
/// all ask equally often. Where the load comes and goes, the past says little of the future, and `send` with
/// the same C does as well (the paper's own finding, section 4.2).
///
/// Piotrowski and Dandamudi, TR-97-14, 1997, section 3.3, parameters (C, min, max): a worker whose latest
/// rate is r gets C r / mean(r over the workers whose rate is known), rounded to nearest, within [min, max];
/// rate = iterations / response time. A worker's first chunk is C. Workers that went away keep their latest
/// rate in the mean.
class Adaptive final : public ChunkScheduler {
 public:
  struct Parameters {
    Index size = 3;  ///< C; in [min, max]
    Index min = 1;   ///< >= 1
    Index max = 9;
  };

  explicit Adaptive(Parameters parameters) : parameters_(parameters) {}

  Index next_size(WorkerId worker, Index remaining) override;
  /// Ignores a response time that is no positive, finite number: it says nothing about the rate.
  void completed(const ChunkTiming& timing) override;

 private:
  /// A running sum whose rounding errors are kept beside it, so that millions of updates do not let it drift.
  class Sum {
   public:
    // Knuth's two-sum: the exact error of the addition, whichever of the two is larger.
    void add(double term) {
      const double sum = sum_ + term;
      const double added = sum - sum_;
      error_ += (sum_ - (sum - added)) + (term - added);
      sum_ = sum;
    }
    double value() const { return sum_ + error_; }

   private:
    double sum_ = 0;
    double error_ = 0;
  };

  Parameters parameters_;
  std::vector<double> rates_;  // iterations per second by worker number; 0: not known
  Sum rate_sum_;
  double workers_known_ = 0;
  double size_per_rate_ = 0;  // C / mean rate, kept so that a decision needs no division
};

/// The table's line for `adaptive[:size,min,max]`.
SchedulerEntry adaptive_entry();

}  // namespace loadshare
