#pragma once

#include <string>
#include <vector>

#include "apps/loadshare/compare/points.hpp"
#include "apps/loadshare/output.hpp"
#include "apps/loadshare/predict/question.hpp"
#include "base/error.hpp"

namespace loadshare::tool {

/// `loadshare compare`: predictions beside what was measured.
struct CompareRequest {
  std::vector<std::string> runs;  ///< sweeps' folders, files of records
  /// Where the model comes from: files of records. None: each technique is predicted from the runs of the
  /// others in its setting, so that no run predicts itself.
  std::vector<std::string> from;
  std::string own;  ///< the experiment of the sweeps that it comes from instead, which is not compared
  std::string hosts;
  bool is_at_run_speed = false;  ///< what an iteration costs is scaled to each run's own chunks
  CostsRequest costs;
  bool has_costs = false;
  bool is_strict = false;
  FigureFiles outputs;
};

/// Everything that is told of a comparison.
struct Comparison {
  std::string program;
  bool is_at_run_speed = false;       ///< see CompareRequest
  std::vector<std::string> networks;  ///< what messages cost, of each list of hosts, in words
  std::vector<ComparedSetting> settings;
  ErrorFigures etas;
  std::vector<std::string> notes;
};

std::string comparison_text(const Comparison& comparison);
std::string comparison_json(const Comparison& comparison);

/// Prints the tables (to stderr where stdout is for the JSON), writes what was asked for. Throws UsageError
/// on bad input.
ExitCode compare_runs(const CompareRequest& request);

}  // namespace loadshare::tool
