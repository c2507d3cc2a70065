#pragma once

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

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

  /// The largest rate that there ever is.
  double most_rate() const;

  /// The same load, `phase_s` further into its cycle; nothing changes where it does not repeat.
  Availability shifted(double phase_s) const;
  /// Of that share of a processor, in (0, 1], the same: others have the rest, load or no load.
  Availability scaled(double share) const;
  /// How long a cycle of the load is; 0 where it does not repeat.
  double period_s() const;

 private:
  struct Cycle;
  struct Place;
  Place place_of(double time_s) const;

  std::shared_ptr<const Cycle> cycle_;  // many hosts may share one; nothing: no load
  double phase_s_ = 0;
};

/// What a control group grants: a share of a processor, anew each period, and how finely the kernel watches.
struct CpuQuota {
  double share = 1;        ///< of a processor; 1 and more: no limit
  double period_s = 0.01;  ///< in which the group may use share * period_s of processor time
  double tick_s =
      0.004;  ///< at which it is looked whether a group is ahead, 1 / CONFIG_HZ: it runs until then
};

/// The processor of a group under such a limit, as Linux' completely fair scheduler grants it (Turner, Rao
/// and Rao, "CPU bandwidth control for CFS", 2010). A busy group runs at full speed until a tick finds its
/// runtime used up, then it is stopped until the grants of later periods have paid its debt: a group of a
/// tenth of a processor and a tick of 4 ms runs for up to 4 ms and is stopped for up to 40. An idle group
/// keeps at most one period's grant.
///
/// So the last thing a worker does in its turn, and what it does just after, may be tens of milliseconds
/// apart, which a mean speed does not tell. Instants never go back.
class BandwidthLimit {
 public:
  /// `period_phase_s`, `tick_phase_s`: how far into its period, and between two ticks, time zero is.
  /// `load`: of the group's own grant it leaves that much to the worker.
  BandwidthLimit(const CpuQuota& grant, double period_phase_s, double tick_phase_s, Availability load = {});

  double now_s() const { return now_s_; }
  /// The group has nothing to do until then.
  void idle_until(double time_s);
  /// The group is busy until it has had `work_s` of processor time, or until `time_s` if that is earlier.
  /// Returns the processor time it had.
  double run(double work_s, double time_s);

 private:
  double tick_after_s(double time_s) const;
  double stop_s() const;
  void refill();
  void pass_periods(double time_s);

  double quota_s_;
  double period_s_;
  double tick_s_;
  double tick_phase_s_;
  double now_s_ = 0;
  double refill_at_s_;  // the next end of a period
  double left_s_;       // runtime; below 0 it is owed
  bool is_stopped_ = false;
  Availability load_;
};

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

/// The master's processor: serves one after the other, as they come, and, where the master works, computes
/// its own chunks with what that leaves. Asked in the order of time.
class MasterProcessor {
 public:
  MasterProcessor() = default;
  explicit MasterProcessor(Processor processor) : processor_(std::move(processor)) {}

  /// Something that takes so much work came at that time; returns when it is done.
  double serve_s(double at_s, double work_s) {
    const double start_s = std::max(at_s, free_at_s_);
    return work_s > 0 ? do_serve_s(start_s, work_s) : start_s;
  }

  /// Begins a chunk of its own; none may be under way.
  void begin_own(double at_s, double work_s);
  /// When a chunk of so much work would end if nothing came meanwhile.
  double projected_end_s(double at_s, double work_s) const {
    return processor_.projected_finish_s(at_s, work_s);
  }
  /// When its own ends if nothing more comes meanwhile.
  double own_end_s() const { return processor_.projected_finish_s(own_from_s_, own_left_s_); }
  /// It has ended by now: at own_end_s().
  void end_own();

  double busy_s() const { return busy_s_; }  ///< with serving, of the undisturbed processor

 private:
  double do_serve_s(double start_s, double work_s);

  Processor processor_;
  double free_at_s_ = 0;
  double busy_s_ = 0;
  bool is_computing_ = false;
  double own_from_s_ = 0;  // up to here its own chunk has had its time
  double own_left_s_ = 0;
};

/// From when on a worker is in the farm, and until when; seconds of the run.
struct Stay {
  enum class End {
    leaves,  ///< it ends the chunk that it computes, hands back the others, and gets no more
    is_lost  ///< it is gone at once: what it holds is computed again
  };
  double from_s = 0;
  double until_s = std::numeric_limits<double>::infinity();
  End end = End::leaves;

  bool is_late() const { return from_s > 0; }
  bool has_end() const { return until_s < std::numeric_limits<double>::infinity(); }
  bool is_whole() const { return !is_late() && !has_end(); }
  bool operator==(const Stay&) const = default;
};

/// A host as one rank on it finds it.
struct HostModel {
  std::string name;
  bool is_named = true;  ///< else it has a number only: nobody said whether others are on the same machine
  /// How fast its processor is when the rank has all of it: 1 where an iteration takes as long as in the runs
  /// that tell its cost, in the mean of their hosts.
  double speed = 1;
  bool is_speed_absolute = false;  ///< it is in a unit of its own, and tells only how hosts compare
  std::optional<CpuQuota> grant;   ///< what a control group grants; nothing: all of a processor
  double available = 1;            ///< what other programs leave of that, in (0, 1]
  double link_bytes_per_s = 0;     ///< of its way to the network; 0: not known
  double link_burst_bytes = 0;     ///< that its link sends at once after a silence
  std::optional<int> load_rank;    ///< whose load it has; nothing: that of its place in the list
  Stay stay;                       ///< who comes late stands behind those that are there from the start
};

}  // namespace loadshare::predictor
