#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/loadshare/metrics/references.hpp"
#include "apps/loadshare/metrics/sources.hpp"
#include "models/efficiency/figures.hpp"
#include "models/efficiency/isoefficiency.hpp"

namespace loadshare::tool {

/// What the command line adds to the files.
struct StudyRequest {
  granularity::SequentialTimes sequential;
  SpeedRequest speeds;
  std::optional<double> kept_efficiency;  ///< for isoefficiency
};

/// The runs of one setting on one number of ranks.
struct Point {
  std::vector<SourcedRun> runs;
  std::vector<granularity::Figures> by_run;
  granularity::Spread spread;
  std::vector<granularity::Figures> ranks;  ///< of each rank the medians, in the order of the first run's
  std::vector<granularity::Figure> speeds;  ///< of each rank, ditto
  std::vector<std::string> notes;

  int processors() const { return static_cast<int>(runs.front().times.ranks.size()); }
};

/// One setting over the numbers of ranks it ran on, ascending.
struct SettingStudy {
  Setting setting;
  std::vector<Point> points;
  std::string sequential_source;  ///< of the relative sequential time; empty: there is none
  SpeedBasis speeds;
  std::vector<std::string> notes;
};

/// Everything that is said of a number of files.
struct Study {
  std::vector<SettingStudy> settings;
  std::vector<granularity::IsoefficiencyPoint> isoefficiency;
  std::vector<std::string> notes;  ///< of what was left out

  /// The one point there is, or null where there are several.
  const Point* only_point() const;
};

/// Groups the runs by setting and number of ranks and has the model say all of them. The runs on one rank are
/// the relative sequential time of their setting, unless one is given (see sequential_runs()) or there are no
/// others. Throws UsageError where a run is there twice and where what was asked for does not fit the runs.
Study study_of(std::vector<Source> sources, const StudyRequest& request);

}  // namespace loadshare::tool
