#pragma once

#include "models/predictor/availability.hpp"

namespace loadshare::predictor {

/// What a control group grants: a share of a processor, anew each period, and how finely the kernel watches.
struct Grant {
  double share = 1;        ///< of a processor; 1 and more: no limit
  double period_s = 0.01;  ///< in which the group may use share * period_s of processor time
  double tick_s = 0.004;   ///< 1 / CONFIG_HZ: a group that is ahead is stopped at the next tick only
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
  BandwidthLimit(const Grant& grant, double period_phase_s, double tick_phase_s, Availability load = {});

  double now_s() const { return now_s_; }
  /// The group has nothing to do until then.
  void idle_until(double time_s);
  /// The group is busy until it has had `work_s` of processor time, or until `time_s` if that is earlier.
  /// Returns the processor time it had.
  double run(double work_s, double time_s);

 private:
  double next_tick_s() const;
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

}  // namespace loadshare::predictor
