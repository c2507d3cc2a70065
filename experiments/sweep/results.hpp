#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/types.hpp"
#include "experiments/sweep/spec.hpp"

namespace loadshare::sweep {

/// The runs of a point that gave a time.
struct MeasuredPoint {
  std::string id;
  std::map<std::string, std::string> parameters;  ///< texts by axis
  std::map<Index, double> times_s;                ///< makespans by repetition
  /// What other programs took of its ranks' time, a share for each run that tells it; of runs that had a load
  /// or a part of a processor none, for there it was asked for.
  std::vector<double> stolen;
};

/// An experiment as far as it has run.
struct MeasuredExperiment {
  std::string name;
  std::string title;
  std::string along;  ///< the axis whose values are compared: where none was named the only one; empty: none
  std::string baseline;  ///< the value of it that the others are held against; empty: none
  double equal_within = default_equal_within;  ///< times that differ by less are called equal
  double error = most_error;                   ///< what is left of it after the looks that a stop rule took
  std::vector<MeasuredPoint> points;
};

/// What the folder's sweep.json says of its experiments, without their runs. Throws Error where there is no
/// sweep.
std::vector<MeasuredExperiment> read_experiments(const std::string& folder);

/// What the folder of a sweep holds: the experiments of which something ran. Lines that are no sound runs are
/// left out, of a repetition that was made again the last good run counts. Throws Error where there is no
/// sweep.
std::vector<MeasuredExperiment> read_results(const std::string& folder);

}  // namespace loadshare::sweep
