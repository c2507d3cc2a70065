#include "apps/loadshare/compare/basis.hpp"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "apps/loadshare/metrics/record_setting.hpp"
#include "schedulers/error.hpp"
#include "schedulers/nearest.hpp"

namespace loadshare::tool {
namespace {

/// How a run is farmed out, which may differ between it and those that its model comes from.
bool is_of_farm(const std::string& name) {
  static const std::set<std::string> of_farm{"scheduler", "master",         "master_rank", "prefetch",
                                             "reissue",   "ranks_per_host", "wait",        "load"};
  return of_farm.contains(name);
}

/// What says which loop a run computed.
std::map<std::string, OptionValue> loop_of(const RunRecord& run) {
  std::map<std::string, OptionValue> loop = setting_options(run.options);
  std::erase_if(loop, [](const auto& option) { return is_of_farm(option.first); });
  loop["program"] = run.app;
  loop["iterations"] = run.iterations;
  if (run.seed) loop["seed"] = *run.seed;
  return loop;
}

std::string text_of(const std::map<std::string, OptionValue>& loop, const std::string& name) {
  const auto found = loop.find(name);
  if (found == loop.end()) return "none";
  return std::visit([](const auto& scalar) { return fmt::format("{}", scalar); }, found->second);
}

/// "kernel is naive, not tuned"; nothing where they are the same loop.
std::optional<std::string> difference(const RunRecord& run, const RunRecord& other) {
  const auto loop = loop_of(run), others = loop_of(other);
  auto all = loop;
  all.insert(others.begin(), others.end());
  for (const auto& [name, value] : all)
    if (!loop.contains(name) || !others.contains(name) || loop.at(name) != others.at(name))
      return fmt::format("{} is {}, not {}", name, text_of(loop, name), text_of(others, name));
  return std::nullopt;
}

}  // namespace

Basis::Basis(const FarmRuns& measured, const FarmRuns& own) : measured_(measured) {
  if (own.runs.empty()) return;
  own_run_ = own.runs.front();
  for (const RunRecord& run : own.runs) require_same_loop(run, "one of the runs that the model is fitted to");
  own_ = predictor::fit_farm(own.runs);
}

void Basis::require_same_loop(const RunRecord& run, const std::string& what) const {
  if (const auto other = difference(run, own_run_))
    throw UsageError(what + " is of another loop than the first that the model is fitted to", "its " + *other,
                     "fit the model to runs of the same loop");
}

predictor::FarmModel Basis::model_for(const ComparedSetting& setting, const ComparedPoint& point) const {
  if (own_) {
    require_same_loop(measured_.runs[point.runs.front()], "a run that is to be predicted");
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
