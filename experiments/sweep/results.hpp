#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "base/types.hpp"
#include "experiments/sweep/spec.hpp"

namespace loadshare::sweep {

/// The successful runs of a point.
struct MeasuredPoint {
  std::string id;
  std::map<std::string, std::string> parameters;  ///< texts by axis
  std::map<Index, double> times_s;                ///< makespans by repetition
  /// The share of its ranks' time that other programs took, for each run that records it. Runs with a load or
  /// with part of a processor are left out, because there the loss was intended.
  std::vector<double> stolen;
};

/// An experiment and the results of its runs so far.
struct MeasuredExperiment {
  std::string name;
  std::string title;
  std::string along;     ///< the compared axis: the named one or the only one; empty if there is none
  std::string baseline;  ///< its value that the others are compared with; empty if there is none
  double equal_within = default_equal_within;  ///< times that differ by less count as equal
  Index repeats = 0;                           ///< the most runs that are planned for a point
  bool is_reduced = false;                     ///< whether the sweep ran with --reduced
  double error = most_error;                   ///< most_error divided by the checks of a stop rule
  std::vector<MeasuredPoint> points;
};

/// Returns the experiments of a manifest (see manifest_of()), without runs. Throws nlohmann's exceptions if
/// it is not a manifest.
std::vector<MeasuredExperiment> planned_experiments(const nlohmann::json& manifest);

/// Reads the experiments in the folder's sweep.json, without their runs. Throws Error if there is no sweep.
std::vector<MeasuredExperiment> read_experiments(const std::string& folder);

/// Reads the results in a sweep's folder: the experiments with at least one successful run. Damaged lines are
/// left out; of a repeated repetition the last successful run counts. Throws Error if there is no sweep.
std::vector<MeasuredExperiment> read_results(const std::string& folder);

}  // namespace loadshare::sweep
