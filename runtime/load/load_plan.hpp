#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/types.hpp"

namespace loadshare {

/// The largest share of a processor that a load may request: larger ones would need more than a hundred
/// threads.
inline constexpr double most_load_share = 0.99;

/// Parses a share of a processor, between 0 and 1, both excluded. Throws UsageError, which begins with
/// `what`.
double parse_share(std::string_view what, std::string_view text);

/// Returns how many threads must compete with one worker to get `share`, in [0, 1), of a fairly shared
/// processor; 0 for a share of 0.
int threads_for(double share);

/// A change of load: from `at_s` on, in seconds since the start of the run, the load takes `share` of the
/// processor. 0 means off.
struct LoadStep {
  double at_s = 0;
  double share = 0;

  bool operator==(const LoadStep&) const = default;
};

/// The course of a background load as a function of the time since the start of the run: periodically on and
/// off, constant, or a list of steps. Before time zero every load is off. Shares are parts of a processor in
/// [0, 1). Pure; load_spec.hpp checks values when a spec is read.
class LoadPlan {
 public:
  /// Alternates between `on_s` seconds at `share` and `off_s` seconds off, both above 0. At time zero it is
  /// `phase_s` into the cycle, which begins with being on.
  static LoadPlan on_off(double on_s, double off_s, double share, double phase_s);
  static LoadPlan constant(double share);
  /// Follows the steps, at least one, in ascending order. It is off before the first step, and the last step
  /// lasts.
  static LoadPlan trace(std::vector<LoadStep> steps);

  /// Returns the share at this time; 0 if the load is off.
  double share_at(double time_s) const;
  /// Returns the first change of share after `time_s`, if there is one. Passing its time again returns the
  /// next change.
  std::optional<LoadStep> next_change(double time_s) const;
  /// Returns the largest share.
  double most_share() const;
  /// Returns the position within the cycle at time zero; 0 without a cycle.
  double phase_s() const { return phase_s_; }
  /// Returns the length of the cycle; 0 without a cycle.
  double period_s() const { return period_s_; }
  /// Returns the steps of one cycle, the first at 0; without a cycle all steps.
  const std::vector<LoadStep>& steps() const { return steps_; }

  /// The amount of load in [from_s, to_s).
  struct Dose {
    double on_s = 0;     ///< time while the load is on
    double taken_s = 0;  ///< processor time that the load takes

    /// Returns the mean share while on; 0 if it was never on.
    double mean_share() const { return on_s > 0 ? taken_s / on_s : 0; }
    Dose& operator+=(const Dose& other);
  };
  Dose dose(double from_s, double to_s) const;

 private:
  LoadPlan(std::vector<LoadStep> steps, double period_s, double phase_s);
  bool is_periodic() const { return period_s_ > 0; }
  LoadStep change(Index number) const;
  /// Returns the number of the last change at or before `time_s`; -1 if there is none.
  Index change_at(double time_s) const;

  std::vector<LoadStep> steps_;  // as steps() says
  double period_s_ = 0;          // 0: no cycle
  double phase_s_ = 0;
};

}  // namespace loadshare
