#include "models/farm/processors.hpp"

#include <cmath>
#include <cstddef>

namespace loadshare::predictor {
namespace {

constexpr double forever_s = std::numeric_limits<double>::infinity();

constexpr double least_rate = 1e-4;  // that a background load and others leave

}  // namespace

struct Availability::Cycle {
  /// From an instant of the cycle on: the rate, and the work that the cycle holds until then.
  struct Segment {
    double at_s = 0;
    double end_s = 0;
    double rate = 1;
    double work_before_s = 0;
  };

  std::vector<Segment> segments;
  double period_s = forever_s;
  double work_s = forever_s;  // of a whole cycle

  void add(double at_s, double end_s, double rate) {
    const double before_s = segments.empty() ? 0
                                             : segments.back().work_before_s +
                                                   segments.back().rate * (at_s - segments.back().at_s);
    segments.push_back({at_s, end_s, rate, before_s});
  }
  double work_until(double time_s, const Segment& segment) const {
    return segment.work_before_s + segment.rate * (time_s - segment.at_s);
  }
  /// When the cycle has given that much work, less than all of it.
  double instant_of(double work) const {
    std::size_t i = 0;
    while (i + 1 < segments.size() && work > segments[i + 1].work_before_s) ++i;
    return segments[i].at_s + (work - segments[i].work_before_s) / segments[i].rate;
  }
};

/// An instant as seen within a cycle of the load.
struct Availability::Place {
  double cycle_begun_s;  // on the run's clock
  double at_s;           // since then
  const Cycle::Segment& segment;
  double segment_end_s;  // on the run's clock
};

Availability::Availability(const LoadPlan& plan) : phase_s_(plan.phase_s()) {
  if (plan.steps().empty()) return;
  auto cycle = std::make_shared<Cycle>();
  if (plan.period_s() > 0) cycle->period_s = plan.period_s();
  const std::vector<LoadStep>& steps = plan.steps();
  if (steps.front().at_s > 0) cycle->add(0, steps.front().at_s, 1);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const double end_s = i + 1 < steps.size() ? steps[i + 1].at_s : cycle->period_s;
    if (end_s > steps[i].at_s) cycle->add(steps[i].at_s, end_s, 1 - steps[i].share);
  }
  if (plan.period_s() > 0) cycle->work_s = cycle->work_until(cycle->period_s, cycle->segments.back());
  cycle_ = std::move(cycle);
}

// Cycles are counted, not summed up, and an instant lies where the ends told of segments say: rounded
// otherwise, a change of rate would be its own next one.
Availability::Place Availability::place_of(double time_s) const {
  const Cycle& cycle = *cycle_;
  double begun_s = -phase_s_, cycle_end_s = forever_s;
  if (cycle.period_s < forever_s) {
    const auto begin_s = [&](double number) { return number * cycle.period_s - phase_s_; };
    double number = std::floor((time_s + phase_s_) / cycle.period_s);
    if (time_s >= begin_s(number + 1)) ++number;
    if (time_s < begin_s(number)) --number;
    begun_s = begin_s(number), cycle_end_s = begin_s(number + 1);
  }
  const auto end_s = [&](std::size_t i) {
    return i + 1 < cycle.segments.size() ? begun_s + cycle.segments[i].end_s : cycle_end_s;
  };
  std::size_t i = 0;
  while (i + 1 < cycle.segments.size() && time_s >= end_s(i)) ++i;
  return {begun_s, std::fmax(cycle.segments[i].at_s, time_s - begun_s), cycle.segments[i], end_s(i)};
}

double Availability::finish_s(double start_s, double work_s) const {
  if (is_whole()) return start_s + work_s;
  const Place place = place_of(start_s);
  const double within_s = work_s / place.segment.rate;
  if (place.at_s + within_s <= place.segment.end_s) return start_s + within_s;
  const double total_s = cycle_->work_until(place.at_s, place.segment) + work_s;
  if (!(cycle_->period_s < forever_s)) return place.cycle_begun_s + cycle_->instant_of(total_s);
  const double cycles = std::floor(total_s / cycle_->work_s);
  return place.cycle_begun_s + cycles * cycle_->period_s +
         cycle_->instant_of(std::fmax(0, total_s - cycles * cycle_->work_s));
}

Availability::Stretch Availability::stretch_at(double time_s) const {
  if (is_whole()) return {0, forever_s, 1};
  const Place place = place_of(time_s);
  return {time_s, place.segment_end_s, place.segment.rate};
}

double Availability::work_s(double from_s, double to_s) const {
  if (is_whole()) return to_s - from_s;
  const Place from = place_of(from_s);
  const Place to = place_of(to_s);
  const double cycles = cycle_->period_s < forever_s
                            ? std::round((to.cycle_begun_s - from.cycle_begun_s) / cycle_->period_s)
                            : 0;
  const double whole_s = cycles > 0 ? cycles * cycle_->work_s : 0;
  return whole_s + cycle_->work_until(to.at_s, to.segment) - cycle_->work_until(from.at_s, from.segment);
}

double Availability::rate_at(double time_s) const {
  return is_whole() ? 1 : place_of(time_s).segment.rate;
}

double Availability::next_change_s(double time_s) const {
  return is_whole() ? forever_s : place_of(time_s).segment_end_s;
}

double Availability::mean_rate() const {
  if (is_whole()) return 1;
  return cycle_->period_s < forever_s ? cycle_->work_s / cycle_->period_s : cycle_->segments.back().rate;
}

double Availability::most_rate() const {
  return is_whole() ? 1 : std::ranges::max(cycle_->segments, {}, &Cycle::Segment::rate).rate;
}

double Availability::period_s() const {
  return is_whole() || !(cycle_->period_s < forever_s) ? 0 : cycle_->period_s;
}

Availability Availability::shifted(double phase_s) const {
  Availability moved = *this;
  if (const double period = period_s(); period > 0) moved.phase_s_ = std::fmod(phase_s_ + phase_s, period);
  return moved;
}

Availability Availability::scaled(double share) const {
  if (share >= 1) return *this;
  Availability slower = is_whole() ? Availability(LoadPlan::constant(0)) : *this;
  auto cycle = std::make_shared<Cycle>(*slower.cycle_);
  for (Cycle::Segment& segment : cycle->segments) segment.rate *= share, segment.work_before_s *= share;
  cycle->work_s *= share;
  slower.cycle_ = std::move(cycle);
  return slower;
}

BandwidthLimit::BandwidthLimit(const CpuQuota& grant, double period_phase_s, double tick_phase_s,
                               Availability load)
    : quota_s_(grant.share * grant.period_s),
      period_s_(grant.period_s),
      tick_s_(grant.tick_s),
      tick_phase_s_(tick_phase_s),
      refill_at_s_(grant.period_s - std::fmod(period_phase_s, grant.period_s)),
      left_s_(quota_s_),
      load_(std::move(load)) {}

double BandwidthLimit::tick_after_s(double time_s) const {
  return (std::floor((time_s + tick_phase_s_) / tick_s_ + 1e-9) + 1) * tick_s_ - tick_phase_s_;
}

/// The first tick that finds the runtime used up, if nothing is granted before.
double BandwidthLimit::stop_s() const {
  const double used_up_s = now_s_ + std::max(left_s_, 0.0);
  const double tick = tick_after_s(used_up_s) - tick_s_;  // one just then finds it so
  return tick > now_s_ && tick >= used_up_s ? tick : tick_after_s(used_up_s);
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
    const double stop = stop_s();
    const double end_s = std::min({now_s_ + (work_s - had_s), time_s, stop, refill_at_s_});
    const double step_s = end_s - now_s_;
    had_s = now_s_ + (work_s - had_s) <= end_s ? work_s : had_s + step_s;
    left_s_ -= step_s;
    now_s_ = end_s;
    if (now_s_ == refill_at_s_) refill();
    if (now_s_ == stop) is_stopped_ = left_s_ <= 0;
  }
  return had_s;
}

double Processor::finish_limited_s(double ready_s, double work_s) {
  limit_->idle_until(ready_s);
  limit_->run(work_s, std::numeric_limits<double>::infinity());
  return limit_->now_s();
}

double Processor::finish_beyond_s(double ready_s, double work_s) {
  const double end_s = availability_.finish_s(ready_s, work_s);
  stretch_ = availability_.stretch_at(end_s);
  return end_s;
}

double Processor::projected_finish_s(double ready_s, double work_s) const {
  if (!limit_) return availability_.finish_s(ready_s, work_s);
  return Processor(*limit_).finish_s(ready_s, work_s);
}

double Processor::run_s(double from_s, double to_s) {
  if (!limit_) return availability_.work_s(from_s, to_s);
  limit_->idle_until(from_s);
  return limit_->run(std::numeric_limits<double>::infinity(), to_s);
}

double MasterProcessor::do_serve_s(double start_s, double work_s) {
  if (is_computing_ && start_s > own_from_s_)
    own_left_s_ = std::max(0.0, own_left_s_ - processor_.run_s(own_from_s_, start_s));
  free_at_s_ = processor_.finish_s(start_s, work_s);
  own_from_s_ = std::max(own_from_s_, free_at_s_);
  busy_s_ += work_s;
  return free_at_s_;
}

void MasterProcessor::begin_own(double at_s, double work_s) {
  is_computing_ = true;
  own_from_s_ = std::max(at_s, free_at_s_);
  own_left_s_ = work_s;
}

void MasterProcessor::end_own() {
  is_computing_ = false;
  processor_.finish_s(own_from_s_, own_left_s_);
}

}  // namespace loadshare::predictor
