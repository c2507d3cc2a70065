#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "models/efficiency/figures.hpp"
#include "models/efficiency/isoefficiency.hpp"
#include "models/efficiency/runs.hpp"

namespace loadshare::granularity {

/// The runs of one setting, by how many ranks they have.
using RunsByRanks = std::map<std::size_t, std::vector<SourcedRun>>;
using Groups = std::map<Setting, RunsByRanks>;

/// Groups the runs of all sources. A run that was cut short is left out beside ones of its kind that were
/// not; what was left out of the files and of the groups is added to `notes`.
Groups grouped(std::vector<Source> sources, std::vector<std::string>& notes);

/// The runs on one rank whose time is the relative sequential one of a setting.
struct SequentialRuns {
  std::vector<SourcedRun> runs;  ///< empty: there are none
  std::string source;            ///< in words: "the median of 3 runs on 1 rank"

  double time_s() const;        ///< the median
  double stolen_share() const;  ///< ditto: what others took of it
};

/// Runs of the same options that came to their end: of the setting itself, but without its background load,
/// since what a load takes is lost to the parallel run; else such ones of another experiment of the same
/// sweep on an equal host; else of the setting with its load.
SequentialRuns sequential_runs(const Groups& groups, const Setting& setting);

/// What the command line says of speeds.
struct SpeedRequest {
  std::vector<double> given;  ///< S_i in the order of the largest run's ranks; empty: not given
  std::optional<int> reference_rank;
};

/// By which speeds the processors of a setting are compared, decided once for all its points: those given,
/// else those that the hosts' quotas grant, where these differ, else those measured in the runs.
struct SpeedBasis {
  std::optional<SpeedSource> source;  ///< nothing: no run tells
  std::vector<double> given;
  std::optional<double> reference;  ///< S_1; nothing: of each run the first rank's
  /// Whether E_H is what compares with a sequential run. Measured speeds never make processors unequal: what
  /// they differ by may be noise, and by them the comparison cannot fail.
  bool is_unequal = false;
};

/// Throws UsageError where what was asked for does not fit the runs.
void require_fitting(const SpeedRequest& request, const Groups& groups);

/// `alone` are the runs of the relative sequential time; empty: there are none. S_1 is that of their
/// processor unless a rank is named, whose speed in the largest run it is then.
SpeedBasis speed_basis(const RunsByRanks& runs, const std::vector<SourcedRun>& alone, const Groups& groups,
                       const SpeedRequest& request);

/// What the model is to know of a run of so many ranks.
Knowledge knowledge_of(const SpeedBasis& basis, std::size_t ranks);

/// What the command line adds to the files.
struct StudyRequest {
  SequentialTimes sequential;
  SpeedRequest speeds;
  std::optional<double> kept_efficiency;  ///< for isoefficiency
};

/// The runs of one setting on one number of ranks.
struct Point {
  std::vector<SourcedRun> runs;
  std::vector<Figures> by_run;
  Spread spread;
  std::vector<Figures> ranks;  ///< of each rank the medians, in the order of the first run's
  std::vector<Figure> speeds;  ///< of each rank, ditto
  /// Medians of the whole runs, where the figures are of what the program says counts.
  std::optional<Figures> whole;
  /// Computing of the fewest ranks over that of these, and that times the efficiency; of several points.
  Figure computation_scaling;
  Figure global_efficiency;
  std::vector<std::string> notes;

  int processors() const { return static_cast<int>(runs.front().times.ranks.size()); }
};

/// One setting over the numbers of ranks it ran on, ascending.
struct SettingStudy {
  Setting setting;
  std::vector<Point> points;
  std::string sequential_source;  ///< of the relative sequential time; empty: there is none
  SequentialRuns sequential;      ///< whose median that time is; without runs: it was given, or there is none
  SpeedBasis speeds;
  std::vector<std::string> notes;
};

/// Everything that is said of a number of files.
struct Study {
  std::vector<SettingStudy> settings;
  std::vector<IsoefficiencyPoint> isoefficiency;
  std::vector<std::string> notes;  ///< of what was left out

  /// The one point there is, or null where there are several.
  const Point* only_point() const;
};

/// Groups the runs by setting and number of ranks and has the model say all of them. The runs on one rank are
/// the relative sequential time of their setting, unless one is given (see sequential_runs()) or there are no
/// others. Throws UsageError where a run is there twice and where what was asked for does not fit the runs.
Study study_of(std::vector<Source> sources, const StudyRequest& request);

}  // namespace loadshare::granularity
