#pragma once

#include <optional>
#include <string>

#include "apps/loadshare/compare/points.hpp"
#include "models/predictor/farm_model.hpp"

namespace loadshare::tool {

/// What the models of a comparison are fitted to.
class Basis {
 public:
  /// `own`: runs of the loop that are compared with nothing; none: each technique is predicted from the
  /// others of its setting, so that no run predicts itself. `measured` must outlive it.
  Basis(const FarmRuns& measured, const FarmRuns& own);

  /// Throws UsageError where the setting has no other technique, and where the run is of another loop than
  /// those that the model comes from.
  predictor::FarmModel model_for(const ComparedSetting& setting, const ComparedPoint& point) const;

 private:
  void require_same_loop(const RunRecord& run, const std::string& what) const;

  const FarmRuns& measured_;
  std::optional<predictor::FarmModel> own_;
  RunRecord own_run_;  // one that it comes from
};

/// Takes the runs of the experiment of that name out of `runs`. Throws UsageError where there are none, or
/// nothing else is left.
FarmRuns take_experiment(FarmRuns& runs, const std::string& name);

}  // namespace loadshare::tool
