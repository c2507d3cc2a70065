#include "apps/loadshare/compare/basis.hpp"

#include <fmt/format.h>

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "schedulers/error.hpp"
#include "schedulers/nearest.hpp"

namespace loadshare::tool {
namespace {

/// The options that may differ between a run and those that its model comes from: how it is farmed out.
bool is_of_farm(const std::string& name) {
  static const std::set<std::string> of_farm{"scheduler", "master",         "master_rank", "prefetch",
                                             "reissue",   "ranks_per_host", "wait",        "wait_in_force",
                                             "workers",   "load",           "verify",      "seed"};
  return of_farm.contains(name);
}

std::map<std::string, OptionValue> work_options(const RunRecord& run) {
  std::map<std::string, OptionValue> options = run.options;
  std::erase_if(options, [](const auto& option) { return is_of_farm(option.first); });
  return options;
}

/// "size", the first option that differs.
std::string difference(const RunRecord& run, const RunRecord& other) {
  const auto options = work_options(run), others = work_options(other);
  for (const auto& [name, value] : options)
    if (!others.contains(name) || others.at(name) != value) return name;
  return "none";
}

}  // namespace


Basis::Basis(const FarmRuns& measured, const FarmRuns& own) : measured_(measured) {
  if (own.runs.empty()) return;
  own_ = predictor::fit_farm(own.runs);
  own_run_ = own.runs.front();
}

void Basis::require_same_loop(const RunRecord& run) const {
  if (run.app == own_run_.app && run.iterations == own_run_.iterations &&
      work_options(run) == work_options(own_run_))
    return;
  throw UsageError(fmt::format("the model is fitted to {} of {} {}", own_run_.app, own_run_.iterations,
                               own_run_.iteration_name),
                   fmt::format("a run that is to be predicted is {} of {} {}, or has other options ({})",
                               run.app, run.iterations, run.iteration_name, difference(run, own_run_)),
                   "fit it to runs of the same loop");
}

predictor::FarmModel Basis::model_for(const ComparedSetting& setting, const ComparedPoint& point) const {
  if (own_) {
    require_same_loop(measured_.runs[point.runs.front()]);
    return *own_;
  }
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
