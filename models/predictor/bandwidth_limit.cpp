#include "models/predictor/bandwidth_limit.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace loadshare::predictor {

namespace {
constexpr double least_rate = 0.01;  // that a background load leaves
}

BandwidthLimit::BandwidthLimit(const Grant& grant, double period_phase_s, double tick_phase_s,
                               Availability load)
    : quota_s_(grant.share * grant.period_s),
      period_s_(grant.period_s),
      tick_s_(grant.tick_s),
      tick_phase_s_(tick_phase_s),
      refill_at_s_(grant.period_s - std::fmod(period_phase_s, grant.period_s)),
      left_s_(quota_s_),
      load_(std::move(load)) {}

double BandwidthLimit::next_tick_s() const {
  return (std::floor((now_s_ + tick_phase_s_) / tick_s_ + 1e-9) + 1) * tick_s_ - tick_phase_s_;
}

void BandwidthLimit::refill() {
  const double granted_s = quota_s_ * load_.rate_at(refill_at_s_);
  left_s_ = std::min(left_s_ + granted_s, granted_s);
  refill_at_s_ += period_s_;
  if (left_s_ > 0) is_stopped_ = false;
}

void BandwidthLimit::pass_periods(double time_s) {
  // A long time of nothing to do fills it up, whatever it owed.
  const double periods = std::floor((time_s - refill_at_s_) / period_s_);
  const double least_granted_s = periods * quota_s_ * least_rate;
  if (left_s_ + least_granted_s > quota_s_) {
    refill_at_s_ += periods * period_s_;
    left_s_ = 0;
  }
  while (refill_at_s_ <= time_s) refill();
}

void BandwidthLimit::idle_until(double time_s) {
  if (time_s <= now_s_) return;
  pass_periods(time_s);
  now_s_ = time_s;
  // Who wakes up in debt is stopped at once.
  is_stopped_ = left_s_ <= 0;
}

double BandwidthLimit::run(double work_s, double time_s) {
  double had_s = 0;
  while (had_s < work_s && now_s_ < time_s) {
    if (is_stopped_) {
      now_s_ = std::min(refill_at_s_, time_s);
      if (now_s_ == refill_at_s_) refill();
      continue;
    }
    const double tick = next_tick_s();
    const double end_s = std::min({now_s_ + (work_s - had_s), time_s, tick, refill_at_s_});
    const double step_s = end_s - now_s_;
    had_s = now_s_ + (work_s - had_s) <= end_s ? work_s : had_s + step_s;
    left_s_ -= step_s;
    now_s_ = end_s;
    if (now_s_ == refill_at_s_) refill();
    if (now_s_ == tick) is_stopped_ = left_s_ <= 0;
  }
  return had_s;
}

}  // namespace loadshare::predictor
