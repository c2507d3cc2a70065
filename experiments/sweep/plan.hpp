#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/statistics.hpp"
#include "experiments/sweep/spec.hpp"

namespace loadshare::sweep {

/// After how many rounds it is looked whether points have run often enough, ascending: after `at_least`, then
/// after half as many more each time, at last after `at_most`. An interval that is looked at L times misses
/// the truth more often than one that was made once, so that each look has but an L-th of most_error, and
/// what is said after the last look, too (Bonferroni; it holds for whatever reason a look ended the runs). So
/// looks are few, and there is none where its share gives no interval yet.
std::vector<Index> looks_of(const Repeat& repeat);

/// Whether the interval of the samples' median lies within that share of it.
bool is_known_within(std::span<const double> samples, double within, double error);

/// Whether a point with these samples (seconds) has run often enough after so many rounds.
bool is_enough(const Repeat& repeat, Index rounds, std::span<const double> samples);

/// One run to be made.
struct PlannedRun {
  const Experiment* experiment = nullptr;
  const Point* point = nullptr;
  Index repetition = 0;
  std::size_t place = 0;  ///< of the point in the plan, for done()
};

/// Decides which run comes next, and does none itself. All points have their first repetition before any has
/// its second, so that a machine that drifts does so for all alike; within a repetition the order is shuffled
/// by the sweep's seed. A run that failed is not tried again here; a resumed sweep does.
class Plan {
 public:
  /// `only`: names of the experiments that take part; none: all. The spec must outlive the plan. Throws
  /// UsageError where a name is none of them.
  Plan(const SweepSpec& spec, const std::vector<std::string>& only);

  /// This run was made by an earlier sweep and is not made again. What is not in the plan is ignored.
  void already_done(const std::string& point_id, Index repetition, double makespan_s);

  /// The next run, or nothing when all is done.
  std::optional<PlannedRun> next();
  /// Its outcome; no makespan where it failed.
  void done(const PlannedRun& run, std::optional<double> makespan_s);

  /// How many runs are still to come, at most.
  Index left() const { return left_; }
  /// Whether points may need less than that.
  bool may_end_early() const;
  std::size_t points() const { return states_.size(); }

 private:
  struct State {
    const Experiment* experiment;
    const Point* point;
    std::set<Index> repetitions;  ///< those that went well, ever
    std::vector<double> samples;
    bool is_over = false;
  };

  void begin_round();
  bool wants_run(const State& state) const;
  void end_if_enough(State& state, Index rounds);
  Index runs_from(const State& state, Index repetition) const;

  std::uint64_t seed_;
  std::vector<State> states_;
  std::vector<std::size_t> round_;  ///< the places still to run in this repetition, the next one last
  Index repetition_ = -1;
  Index last_repetition_ = 0;
  Index left_ = 0;
};

}  // namespace loadshare::sweep
