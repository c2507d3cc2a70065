#pragma once

#include <optional>

#include "models/predictor/availability.hpp"
#include "models/predictor/bandwidth_limit.hpp"

namespace loadshare::predictor {

/// One processor in virtual time: what a background load leaves of it, or what its control group grants. Work
/// is in seconds of the processor when it is undisturbed. Asked in the order of time.
class Processor final {
 public:
  Processor() = default;
  explicit Processor(Availability availability) : availability_(std::move(availability)) {}
  explicit Processor(BandwidthLimit limit) : limit_(std::move(limit)) {}

  /// Has nothing to do until `ready_s`, then does the work; returns when that is done.
  double finish_s(double ready_s, double work_s) {
    if (limit_) return finish_limited_s(ready_s, work_s);
    return availability_.finish_s(ready_s, work_s);
  }
  /// What finish_s() would return, without doing it.
  double projected_finish_s(double ready_s, double work_s) const {
    return Processor(*this).finish_s(ready_s, work_s);
  }
  /// Is busy from `from_s` to `to_s`; returns the work that it does then.
  double run_s(double from_s, double to_s);

 private:
  double finish_limited_s(double ready_s, double work_s);

  Availability availability_;
  std::optional<BandwidthLimit> limit_;
};

}  // namespace loadshare::predictor
