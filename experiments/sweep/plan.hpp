#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/statistics.hpp"
#include "experiments/sweep/spec.hpp"

namespace loadshare::sweep {

/// Returns the numbers of rounds, ascending, after which the stop rule is checked: `at_least`, then half as
/// many more each time, and finally `at_most`. With L checks each one, and the final verdict, gets an L-th of
/// most_error (Bonferroni), because repeated checks miss the truth more often. So checks are few; checks
/// whose share is too small for an interval are left out.
std::vector<Index> looks_of(const Repeat& repeat);

/// Whether the interval of the samples' median is within the share `within` of the median.
bool is_known_within(std::span<const double> samples, double within, double error);

/// Whether a point with these samples (seconds) has run often enough after `rounds` rounds.
bool is_enough(const Repeat& repeat, Index rounds, std::span<const double> samples);

/// One run that is to be made.
struct PlannedRun {
  const Experiment* experiment = nullptr;
  const Point* point = nullptr;
  Index repetition = 0;
  std::size_t place = 0;  ///< index of the point in the plan, for done()
};

/// Decides which run comes next; starts none itself. All points have their first repetition before any has
/// its second, so that a drift of the machine affects all alike. Within a repetition the sweep's seed
/// shuffles the order. Failed runs are not repeated here; a resumed sweep repeats them.
class Plan {
 public:
  /// `only` names the experiments that take part; empty means all. The spec must outlive the plan. Throws
  /// UsageError if a name is not an experiment's.
  Plan(const SweepSpec& spec, const std::vector<std::string>& only);

  /// Records that an earlier sweep made this run, so that it is not made again. Ignores runs that are not in
  /// the plan.
  void already_done(const std::string& point_id, Index repetition, double makespan_s);

  /// Returns the next run, or nothing when all are done.
  std::optional<PlannedRun> next();
  /// Records a run's outcome; a failed run has no makespan.
  void done(const PlannedRun& run, std::optional<double> makespan_s);

  /// The number of remaining runs, at most.
  Index left() const { return left_; }
  /// Whether a stop rule may end it earlier.
  bool may_end_early() const;
  std::size_t points() const { return states_.size(); }

 private:
  struct State {
    const Experiment* experiment;
    const Point* point;
    std::set<Index> repetitions;  ///< all that ever succeeded
    std::vector<double> samples;
    bool is_over = false;
  };

  void begin_round();
  bool wants_run(const State& state) const;
  void end_if_enough(State& state, Index rounds);
  Index runs_from(const State& state, Index repetition) const;

  std::uint64_t seed_;
  std::vector<State> states_;
  std::vector<std::size_t> round_;  ///< the points still to run in this repetition, the next one last
  Index repetition_ = -1;
  Index last_repetition_ = 0;
  Index left_ = 0;
};

}  // namespace loadshare::sweep
