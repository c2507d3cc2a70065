#pragma once

#include <optional>
#include <vector>

#include "apps/loadshare/metrics/groups.hpp"
#include "models/granularity/figures.hpp"

namespace loadshare::tool {

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
