#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/statistics.hpp"
#include "experiments/sweep/results.hpp"

namespace loadshare::sweep {

/// How a comparison is judged.
struct Judging {
  double error = most_error;  ///< the most there may be that a difference is shown where there is none
  double equal_within = default_equal_within;
};

/// How many times as long one value takes as another, from the rounds that both have. A round is made of runs
/// that follow each other, beside the same load, so its two times are a pair: what disturbs both of them, or
/// lets the machine drift, cancels out.
///
/// The rule is Wilcoxon's signed-rank test of the logarithms of the rounds' ratios (see SignedRanks): exact,
/// and its estimate and interval are the same test turned round, so that they cannot contradict it. It takes
/// the rounds to be independent of each other, and a round to be as likely a times above the ratio as a times
/// below it.
struct TimeRatio {
  double value = 1;                  ///< Hodges and Lehmann's estimate
  std::optional<Interval> interval;  ///< at the error at which it was judged; nothing of too few rounds
  Index rounds = 0;
  Index rounds_needed = 0;  ///< fewer than that cannot show anything
  double equal_within = default_equal_within;

  /// Whether the runs show that the two differ.
  bool is_shown() const { return interval && (interval->low > 1 || interval->high < 1); }
  /// Whether they show that the two differ by less than the margin, whichever is over the other.
  bool is_equal() const {
    return interval && interval->low > 1 / (1 + equal_within) && interval->high < 1 + equal_within;
  }
};

/// Times by repetition. Nothing where no round has both. Throws UsageError where a time is not above 0, or
/// the margin is not.
std::optional<TimeRatio> time_ratio(const std::map<Index, double>& over, const std::map<Index, double>& under,
                                    const Judging& judging = {});

/// Times by repetition of what is compared; theirs who made them.
struct PairedTimes {
  const std::map<Index, double>* over = nullptr;
  const std::map<Index, double>* under = nullptr;
};

/// Several comparisons, held together by Holm's step down: with a probability of 1 - error all differences
/// that are shown are there. Each is judged, and its interval made, at the error that is left for it. Throws
/// as time_ratio does.
std::vector<std::optional<TimeRatio>> time_ratios(const std::vector<PairedTimes>& pairs,
                                                  const Judging& judging);

/// What came of one value of the compared axis in one setting.
struct JudgedValue {
  std::string name;   ///< "gss:14"; of numbers with the axis: "ranks 2"
  std::string point;  ///< its id
  Index runs = 0;     ///< with a time; without any the rest is nothing
  double mean_s = 0;
  double deviation_s = 0;
  double least_s = 0;
  double most_s = 0;
  std::optional<TimeRatio> over_fastest;   ///< its time to that of the fastest, which has none
  std::optional<TimeRatio> over_baseline;  ///< ditto to the baseline's
};

/// What came of one setting of an experiment: of all values but that of the compared axis.
///
/// The comparisons of a setting are those of each two of its values, for which one is the fastest is found by
/// the same runs; they are held together at 95 % (see time_ratios), so that it does not matter whose
/// differences are told. No interval is made at less than 95 %, so that each for itself holds its ratio in as
/// many cases at least, and what is called equal is so wrongly in 2.5 % at most. Where a stop rule looked at
/// the runs, these errors are for all looks together (see looks_of).
struct Verdict {
  std::string setting;              ///< "master works, master-rank 0"; empty: there is one only
  std::vector<JudgedValue> values;  ///< the fastest first, those without a time last
  bool is_compared = false;         ///< otherwise the values are the points, in the file's order
  std::string baseline;             ///< the name of it; empty: there is none

  /// "gss:14 ran 1.13 (1.08 to 1.18) times as fast as send:3", with what is equal and what is undecided;
  /// empty where nothing is compared.
  std::string sentence() const;
};

/// One a setting. The only place where a winner is named: what `sweep` prints and what the report shows.
std::vector<Verdict> verdicts_of(const MeasuredExperiment& experiment);

/// What makes one doubt the numbers of points, a sentence each: runs that are too short to compare, or were
/// disturbed.
std::vector<std::string> doubts_about(const MeasuredExperiment& experiment);

/// "1.13 (1.08 to 1.18)", with as many digits as the interval is worth.
std::string ratio_text(const TimeRatio& ratio);

}  // namespace loadshare::sweep
