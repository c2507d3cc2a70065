#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/types.hpp"

namespace loadshare {

/// The largest share of a processor that a load may ask for: some hundred threads would be needed beyond.
inline constexpr double most_load_share = 0.99;

/// A share of a processor, more than 0 and less than 1. Throws UsageError, beginning with `what`.
double parse_share(std::string_view what, std::string_view text);

/// How many threads must compete with one worker to get `share`, in [0, 1), of a processor that is shared
/// fairly; 0 for none.
int threads_for(double share);

/// From `at_s` on, seconds since the start of the run, the load takes `share` of the processor; 0: it is off.
struct LoadStep {
  double at_s = 0;
  double share = 0;

  bool operator==(const LoadStep&) const = default;
};

/// What a background load is to do, as a function of the time since the start of the run: on for a while and
/// off for a while, over and over; all the time; or step by step. Before time zero every load is off. Pure.
/// Shares are of a processor, from 0 to below 1, times in seconds since the start of the run; nothing here is
/// checked, which is done where a spec is read (load_spec.hpp).
class LoadPlan {
 public:
  /// On for `on_s` at `share`, then off for `off_s`, both above 0, over and over. At time zero it is
  /// `phase_s` into that cycle, which begins with being on.
  static LoadPlan on_off(double on_s, double off_s, double share, double phase_s);
  static LoadPlan constant(double share);
  /// As the steps say, at least one, in ascending order; off before the first, and the last one lasts.
  static LoadPlan trace(std::vector<LoadStep> steps);

  /// 0 where the load is off.
  double share_at(double time_s) const;
  /// The first change of share after `time_s`, if there is one. Handing its instant in gives the one after
  /// it.
  std::optional<LoadStep> next_change(double time_s) const;
  /// The largest share there is in it.
  double most_share() const;
  /// How far into its cycle it is at time zero; 0 where it has none.
  double phase_s() const { return phase_s_; }
  /// After how long it repeats itself; 0: never.
  double period_s() const { return period_s_; }
  /// The steps of one period, the first at 0; all steps where the plan does not repeat itself.
  const std::vector<LoadStep>& steps() const { return steps_; }

  /// What [from_s, to_s) holds of it.
  struct Dose {
    double on_s = 0;     ///< while the load is on
    double taken_s = 0;  ///< the part of the processor's time that the load takes then

    /// The mean share while on; 0 where it never was.
    double mean_share() const { return on_s > 0 ? taken_s / on_s : 0; }
    Dose& operator+=(const Dose& other);
  };
  Dose dose(double from_s, double to_s) const;

 private:
  LoadPlan(std::vector<LoadStep> steps, double period_s, double phase_s);
  bool is_periodic() const { return period_s_ > 0; }
  LoadStep change(Index number) const;
  /// The last change at or before `time_s`; -1 where there is none.
  Index change_at(double time_s) const;

  std::vector<LoadStep> steps_;  // as steps() says
  double period_s_ = 0;          // 0: the steps do not repeat
  double phase_s_ = 0;
};

}  // namespace loadshare
