#include "apps/loadshare/compare/basis.hpp"

#include <set>
#include <utility>
#include <vector>

#include "schedulers/error.hpp"
#include "schedulers/nearest.hpp"

namespace loadshare::tool {

Basis::Basis(const FarmRuns& measured, const FarmRuns& own) : measured_(measured) {
  if (!own.runs.empty()) own_ = predictor::fit_farm(own.runs);
}

predictor::FarmModel Basis::model_for(const ComparedSetting& setting, const ComparedPoint& point) const {
  if (own_) return *own_;
  std::vector<RunRecord> others;
  for (const ComparedPoint& other : setting.points)
    if (other.scheduler != point.scheduler)
      for (const std::size_t run : other.runs) others.push_back(measured_.runs[run]);
  if (others.empty())
    throw UsageError("nothing to predict " + point.scheduler + " from",
                     "its setting has no other technique, and no run may predict itself",
                     "give --from, records of other runs of the loop");
  return predictor::fit_farm(others);
}

FarmRuns take_experiment(FarmRuns& runs, const std::string& name) {
  FarmRuns taken, left;
  std::set<std::string> names;
  for (std::size_t i = 0; i < runs.runs.size(); ++i) {
    FarmRuns& side = runs.places[i].experiment == name ? taken : left;
    names.insert(runs.places[i].experiment);
    side.runs.push_back(std::move(runs.runs[i]));
    side.places.push_back(std::move(runs.places[i]));
  }
  if (taken.runs.empty())
    throw unknown_name("experiment", name, std::vector<std::string>(names.begin(), names.end()));
  if (left.runs.empty())
    throw UsageError("nothing to compare", "all runs are of the experiment " + name,
                     "give sweeps with others");
  left.notes = std::move(runs.notes);
  runs = std::move(left);
  return taken;
}

}  // namespace loadshare::tool
