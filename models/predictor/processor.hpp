#pragma once

#include <memory>
#include <utility>

#include "models/predictor/availability.hpp"
#include "models/predictor/bandwidth_limit.hpp"

namespace loadshare::predictor {

/// One processor in virtual time: what a background load leaves of it, or what its control group grants. Work
/// is in seconds of the processor when it is undisturbed. Asked in the order of time.
class Processor final {
 public:
  Processor() = default;
  explicit Processor(Availability availability) : availability_(std::move(availability)) {}
  explicit Processor(BandwidthLimit limit) : limit_(std::make_unique<BandwidthLimit>(std::move(limit))) {}

  /// Has nothing to do until `ready_s`, then does the work; returns when that is done.
  double finish_s(double ready_s, double work_s) {
    // Mostly it ends before the load changes.
    if (ready_s >= stretch_.from_s) {
      const double end_s = ready_s + work_s / stretch_.rate;
      if (end_s <= stretch_.to_s) return end_s;
    }
    return limit_ ? finish_limited_s(ready_s, work_s) : finish_beyond_s(ready_s, work_s);
  }
  /// What finish_s() would return, without doing it.
  double projected_finish_s(double ready_s, double work_s) const;
  /// Is busy from `from_s` to `to_s`; returns the work that it does then.
  double run_s(double from_s, double to_s);

 private:
  double finish_limited_s(double ready_s, double work_s);
  double finish_beyond_s(double ready_s, double work_s);

  Availability::Stretch stretch_;  // where the last work ended; none under a limit
  Availability availability_;
  std::unique_ptr<BandwidthLimit> limit_;
};

}  // namespace loadshare::predictor
