#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "apps/loadshare/metrics/sources.hpp"
#include "models/efficiency/figures.hpp"

namespace loadshare::tool {

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
  std::optional<granularity::SpeedSource> source;  ///< nothing: no run tells
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
granularity::Knowledge knowledge_of(const SpeedBasis& basis, std::size_t ranks);

}  // namespace loadshare::tool
