#pragma once

#include <limits>
#include <memory>

#include "runtime/load/load_plan.hpp"

namespace loadshare::predictor {

/// How much of a processor's time a background load leaves to a worker beside it, in closed form: whoever
/// asks for the end of a chunk of hours pays for it as for one of microseconds, however often the load comes
/// and goes meanwhile. Work is in seconds of the undisturbed processor.
class Availability {
 public:
  /// No load: all of it.
  Availability() = default;
  /// What `plan` leaves, of which every share is less than 1.
  explicit Availability(const LoadPlan& plan);

  bool is_whole() const { return !cycle_; }
  /// A time during which the rate does not change.
  struct Stretch {
    double from_s = std::numeric_limits<double>::infinity();  ///< by itself, no time
    double to_s = 0;
    double rate = 1;
  };
  /// That from `time_s` on.
  Stretch stretch_at(double time_s) const;
  /// The instant at which work begun at `start_s` >= 0 is done.
  double finish_s(double start_s, double work_s) const;
  /// The work that [from_s, to_s] holds.
  double work_s(double from_s, double to_s) const;
  /// Of a processor at that instant.
  double rate_at(double time_s) const;
  /// The first change of rate after `time_s`; infinity where there is none.
  double next_change_s(double time_s) const;
  /// The mean rate over all time; of a load that does not repeat, that which lasts.
  double mean_rate() const;

  /// The same load, `phase_s` further into its cycle; nothing changes where it does not repeat.
  Availability shifted(double phase_s) const;
  /// How long a cycle of the load is; 0 where it does not repeat.
  double period_s() const;

 private:
  struct Cycle;
  struct Place;
  Place place_of(double time_s) const;

  std::shared_ptr<const Cycle> cycle_;  // many hosts may share one; nothing: no load
  double phase_s_ = 0;
};

}  // namespace loadshare::predictor
