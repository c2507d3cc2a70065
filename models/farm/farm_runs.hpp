#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/farm/farm_model.hpp"
#include "runtime/records/records.hpp"

namespace loadshare::predictor {

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
/// Throws UsageError if a path contains none, or if a file or a run is given twice.
FarmRuns read_farm_runs(const std::vector<std::string>& paths);

/// Takes the runs of the experiment of that name out of `runs`. Throws UsageError where there are none, or
/// nothing else is left.
FarmRuns take_experiment(FarmRuns& runs, const std::string& name);

/// Whether a host had vanished before the run's end: nothing is known of it, not even its name.
bool has_vanished_host(const RunRecord& run);

/// Leaves out the runs in which a host had vanished. Throws UsageError where no others are left.
void leave_out_vanished(FarmRuns& runs);

/// By what one run's loop differs from the other's, in words: "kernel is naive, not tuned"; nothing where
/// they computed the same, however it was farmed out.
std::optional<std::string> loop_difference(const RunRecord& run, const RunRecord& other);

/// The setting of a run as its record tells it: one host a rank.
FarmSetting setting_of(const RunRecord& run);

}  // namespace loadshare::predictor
