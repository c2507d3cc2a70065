#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/statistics.hpp"
#include "experiments/sweep/results.hpp"

namespace loadshare::sweep {

/// The parameters of a comparison.
struct Judging {
  double error = most_error;  ///< the largest probability of showing a difference that does not exist
  double equal_within = default_equal_within;
};

/// The ratio of one value's time to another's, from the rounds that both have. The runs of a round follow
/// each other under the same load, so their times are a pair: common disturbances and drift of the machine
/// cancel out.
///
/// The rule is Wilcoxon's exact signed-rank test of the logarithms of the rounds' ratios (see SignedRanks).
/// Estimate and interval are the same test inverted, so they cannot contradict it. The test assumes that
/// rounds are independent, and that a round is as likely to be a factor above the ratio as to be the same
/// factor below it.
struct TimeRatio {
  double value = 1;  ///< Hodges and Lehmann's estimate
  std::optional<Interval>
      interval;  ///< at the error used for the judgement; nothing if there are too few rounds
  Index rounds = 0;
  Index rounds_needed = 0;  ///< the fewest rounds that can show anything
  double equal_within = default_equal_within;

  /// Whether the runs show a difference.
  bool is_shown() const { return interval && (interval->low > 1 || interval->high < 1); }
  /// Whether the runs show that the two differ by less than the margin, in either direction.
  bool is_equal() const {
    return interval && interval->low > 1 / (1 + equal_within) && interval->high < 1 + equal_within;
  }
};

/// Returns the ratio of two values' times by repetition; nothing if no round has both. Throws UsageError if a
/// time or the margin is not above 0.
std::optional<TimeRatio> time_ratio(const std::map<Index, double>& over, const std::map<Index, double>& under,
                                    const Judging& judging = {});

/// Times by repetition of two compared values. The caller owns them.
struct PairedTimes {
  const std::map<Index, double>* over = nullptr;
  const std::map<Index, double>* under = nullptr;
};

/// Judges several comparisons together by Holm's step-down procedure: with a probability of 1 - error all
/// differences that are shown exist. Each comparison and its interval use their share of the error. Throws as
/// time_ratio() does.
std::vector<std::optional<TimeRatio>> time_ratios(const std::vector<PairedTimes>& pairs,
                                                  const Judging& judging);

/// The result of one value of the compared axis in one setting.
struct JudgedValue {
  std::string name;   ///< "gss:14"; a number is named with its axis: "ranks 2"
  std::string point;  ///< the id of its point
  Index runs = 0;     ///< successful runs; the other members are empty if there are none
  double mean_s = 0;
  double deviation_s = 0;
  double least_s = 0;
  double most_s = 0;
  std::optional<TimeRatio> over_fastest;   ///< its time over that of the fastest, which has none itself
  std::optional<TimeRatio> over_baseline;  ///< its time over that of the baseline
};

/// The result of one setting of an experiment, that is of fixed values of all axes but the compared one.
///
/// All pairs of its values are compared, because the same runs decide which value is the fastest. The pairs
/// are judged together at 95 % (see time_ratios), so that any of their differences may be reported. No
/// interval has less than 95 %, so each alone contains its ratio at least as often, and at most 2.5 % of the
/// values that are called equal differ. If a stop rule checked the runs, these errors hold for all checks
/// together (looks_of).
struct Verdict {
  std::string setting;              ///< "master works, master-rank 0"; empty if there is only one
  std::vector<JudgedValue> values;  ///< the fastest first, those without a time last
  bool is_compared = false;         ///< otherwise the values are the points, in the file's order
  std::string baseline;             ///< its name; empty if there is none
  Index repeats = 0;                ///< the most runs that are planned for a point
  bool is_reduced = false;          ///< whether the sweep ran with --reduced

  /// Returns "gss:14 is the fastest: 1.26 s, 1.13 (1.08 to 1.18) times as fast as send:3". If no winner can
  /// be named, it says so, and how many repeats are needed. Empty if nothing is compared.
  std::string sentence() const;
};

/// Returns one verdict per setting. This is the only place that names a winner; `sweep` and the report show
/// it.
std::vector<Verdict> verdicts_of(const MeasuredExperiment& experiment);

/// Returns how many repeats the comparisons of an experiment need at least: with fewer, no difference is
/// significant, even if all rounds agree. 0 if nothing is compared.
Index repeats_needed(const MeasuredExperiment& experiment);

/// Returns "set `repeat: 9`", for a reduced sweep with "under `reduced:`".
std::string repeat_advice(Index repeats, bool is_reduced);

/// Returns the reasons to doubt the numbers of points, a sentence each: runs that are too short to compare,
/// or that were disturbed.
std::vector<std::string> doubts_about(const MeasuredExperiment& experiment);

/// Returns "1.13 (1.08 to 1.18)", with as many digits as the interval justifies.
std::string ratio_text(const TimeRatio& ratio);

}  // namespace loadshare::sweep
