#pragma once

#include <optional>
#include <string>

#include "apps/loadshare/calibrate/collective_survey.hpp"
#include "apps/loadshare/calibrate/survey_options.hpp"
#include "runtime/timing/progress.hpp"

namespace loadshare::tool {

/// What is done with a calibration file that is there already.
enum class OldFile { replaced, continued };

/// `loadshare calibrate`.
struct CalibrateOptions {
  std::string out;
  OldFile old_file = OldFile::replaced;
  SurveyOptions survey;
  std::optional<Index> partners;  ///< how many ranks rank 0 sends to; nothing: all others
  /// Without calls: all there are, in a run of three ranks or more; of two the pair's messages tell it all.
  CollectiveOptions collectives;
  bool has_collectives = true;
  std::optional<Index> kernel_size = 720;  ///< of the matrix; nothing: no chunks are computed
  ProgressMode progress = ProgressMode::automatic;
};

/// Measures what messages from rank 0 to every other rank cost, one pair after the other, then what
/// collective calls of several ranks cost, and then what chunks cost on each rank; writes the calibration
/// file and prints what is in it. To be called by every rank of an MPI run; throws UsageError where there are
/// fewer than two, or outside one.
void calibrate(const CalibrateOptions& options);

}  // namespace loadshare::tool
