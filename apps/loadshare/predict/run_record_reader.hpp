#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "runtime/timing/records.hpp"

namespace loadshare::tool {

/// A run as its line tells it, as far as a prediction needs it: program, loop, options, ranks, load, chunks.
/// Throws UsageError, beginning with `place` ("runs.jsonl:3"), where it is no record of a farm's run, of
/// another schema, or damaged.
RunRecord read_farm_record(const nlohmann::json& line, const std::string& place);

/// Runs of one loop, and what of the files was left out.
struct FarmRuns {
  std::vector<RunRecord> runs;
  /// Where a sweep has the run; empty: it is not of a sweep.
  struct Place {
    std::string sweep;  ///< its folder
    std::string experiment;
    std::string point;
  };
  std::vector<Place> places;  ///< of each run
  std::vector<std::string> notes;
};

/// The runs of files of records, or of sweeps' folders; those whose result was found wrong are left out.
/// Throws UsageError where a path holds none.
FarmRuns read_farm_runs(const std::vector<std::string>& paths);

}  // namespace loadshare::tool
