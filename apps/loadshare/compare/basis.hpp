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

  /// Throws UsageError where the setting has no other technique.
  predictor::FarmModel model_for(const ComparedSetting& setting, const ComparedPoint& point) const;

 private:
  const FarmRuns& measured_;
  std::optional<predictor::FarmModel> own_;
};

/// Takes the runs of the experiment of that name out of `runs`. Throws UsageError where there are none, or
/// nothing else is left.
FarmRuns take_experiment(FarmRuns& runs, const std::string& name);

}  // namespace loadshare::tool
