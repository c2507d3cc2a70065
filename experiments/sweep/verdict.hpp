#pragma once

#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "experiments/sweep/results.hpp"

namespace loadshare::sweep {

/// How many times as long one value takes as another: the ratio of their mean times over the rounds that both
/// have. A round is made of runs that follow each other, beside the same load, so its two times are a pair:
/// what disturbs both of them, or lets the machine drift, cancels out.
struct TimeRatio {
  double value = 1;
  /// Half the width of the 95 % interval, for all comparisons of the setting together (Student's t of the
  /// pairs' differences from the ratio, with Bonferroni's correction); infinite where fewer than two rounds
  /// tell nothing.
  double reach = std::numeric_limits<double>::infinity();
  Index rounds = 0;

  /// Whether the runs show that the two differ.
  bool is_shown() const { return value > 1 + reach || value < 1 - reach; }
};

/// Times by repetition; `comparisons`: how many are made together. Nothing where no round has both.
std::optional<TimeRatio> time_ratio(const std::map<Index, double>& over, const std::map<Index, double>& under,
                                    Index comparisons);

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
struct Verdict {
  std::string setting;              ///< "master works, master-rank 0"; empty: there is one only
  std::vector<JudgedValue> values;  ///< the fastest first, those without a time last
  bool is_compared = false;         ///< otherwise the values are the points, in the file's order
  std::string baseline;             ///< the name of it; empty: there is none

  /// "gss:14 ran 1.13 +- 0.05 times as fast as send:3", with what is undecided; empty where nothing is
  /// compared.
  std::string sentence() const;
};

/// One a setting. The only place where a winner is named: what `sweep` prints and what the report shows.
std::vector<Verdict> verdicts_of(const MeasuredExperiment& experiment);

/// What makes one doubt the numbers of points, a sentence each: runs that are too short to compare, or were
/// disturbed.
std::vector<std::string> doubts_about(const MeasuredExperiment& experiment);

/// "1.13 +- 0.05", with as many digits as the second one is worth.
std::string ratio_text(const TimeRatio& ratio);

}  // namespace loadshare::sweep
