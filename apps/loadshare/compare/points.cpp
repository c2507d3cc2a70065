#include "apps/loadshare/compare/points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <variant>

#include "apps/loadshare/metrics/record_setting.hpp"
#include "apps/loadshare/predict/question.hpp"
#include "models/granularity/spread.hpp"
#include "models/predictor/choice.hpp"
#include "runtime/timing/wording.hpp"

namespace loadshare::tool {
namespace {

constexpr double same_ratio = 1.02;

std::string load_without_seed(const RunRecord& run) {
  return run.load ? without_seed(run.load->spec) : "none";
}

std::string setting_name(const RunRecord& run, const std::string& experiment) {
  const predictor::FarmSetting setting = setting_of(run);
  std::string name = experiment.empty() ? run.app : experiment;
  name += fmt::format(", {} ranks, the master {} on rank {}", setting.hosts.size(),
                      setting.master_works ? "works" : "coordinates", setting.master_rank);
  if (setting.prefetch > 0) name += fmt::format(", prefetch {}", setting.prefetch);
  if (setting.reissue == Reissue::on) name += ", reissue";
  const std::string load = load_without_seed(run);
  return name + (load == "none" ? ", no load" : ", beside " + load);
}

using Options = std::vector<std::string>;

/// What else the run was asked for: runs that differ in it are of different settings.
Options other_options(const RunRecord& run) {
  static const std::set<std::string> told_elsewhere{"scheduler", "master",  "master_rank",
                                                    "prefetch",  "reissue", "load"};
  Options options{run.app + " of " + count_text(run.iterations, "iteration", "iterations")};
  if (run.seed) options.push_back(fmt::format("seed {}", *run.seed));
  for (const auto& [name, value] : setting_options(run.options))
    if (!told_elsewhere.contains(name))
      options.push_back(
          std::visit([&](const auto& scalar) { return fmt::format("{} {}", name, scalar); }, value));
  return options;
}

/// A setting, and what tells it from its namesakes.
struct Grouped {
  ComparedSetting setting;
  Options options;
};

ComparedPoint& point_of(ComparedSetting& setting, const std::string& scheduler, const std::string& id) {
  const auto found = std::ranges::find_if(setting.points, [&](const ComparedPoint& point) {
    return point.scheduler == scheduler && point.id == id;
  });
  if (found != setting.points.end()) return *found;
  setting.points.push_back({});
  setting.points.back().scheduler = scheduler;
  setting.points.back().id = id;
  return setting.points.back();
}

void add_run(ComparedSetting& setting, const RunRecord& run, std::size_t number, const std::string& id) {
  if (run.choice) {
    setting.automatic.chosen.push_back(run.choice->scheduler);
    setting.automatic.measured_s.push_back(run.makespan_s);
    setting.automatic.foretold_s.push_back(run.choice->predicted_s);
    return;
  }
  ComparedPoint& point = point_of(setting, run.scheduler, id);
  point.runs.push_back(number);
  point.measured_s.push_back(run.makespan_s);
}

/// ", size 720": of the options those that not all namesakes have.
std::string own_options(const Options& options, const std::vector<Options>& namesakes) {
  std::string own;
  for (const std::string& option : options) {
    const auto has_it = [&](const Options& other) { return std::ranges::find(other, option) != other.end(); };
    if (!std::ranges::all_of(namesakes, has_it)) own += ", " + option;
  }
  return own;
}

/// Sweeps may have experiments of one name, and settings that differ in what the name does not tell.
void tell_namesakes_apart(std::vector<Grouped>& groups) {
  std::map<std::string, std::vector<Options>> options;
  std::map<std::string, std::set<std::string>> sweeps;
  for (const Grouped& group : groups) {
    options[group.setting.name].push_back(group.options);
    sweeps[group.setting.name].insert(group.setting.sweep);
  }
  for (Grouped& group : groups) {
    ComparedSetting& setting = group.setting;
    const std::string name = setting.name;
    setting.name += own_options(group.options, options.at(name));
    if (sweeps.at(name).size() > 1 && !setting.sweep.empty()) setting.name += ", in " + setting.sweep;
  }
}

}  // namespace

std::vector<ComparedSetting> compared_settings(const FarmRuns& runs) {
  std::vector<Grouped> groups;
  std::map<std::tuple<std::string, std::string, Options>, std::size_t> places;
  for (std::size_t i = 0; i < runs.runs.size(); ++i) {
    const RunRecord& run = runs.runs[i];
    const auto& [sweep, experiment, id] = runs.places[i];
    const std::string name = setting_name(run, experiment);
    const Options options = other_options(run);
    const auto [place, is_new] = places.try_emplace({sweep, name, options}, groups.size());
    if (is_new) groups.push_back({{sweep, experiment, name, run.load.has_value(), {}, {}}, options});
    add_run(groups[place->second].setting, run, i, id);
  }
  tell_namesakes_apart(groups);
  std::vector<ComparedSetting> settings;
  for (Grouped& group : groups) settings.push_back(std::move(group.setting));
  return settings;
}

std::size_t ComparedPoint::covered() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(measured_s, [this](double run_s) { return run_s >= low_s && run_s <= high_s; }));
}

std::size_t ComparedSetting::best_measured() const {
  const auto best = std::ranges::min_element(points, {}, &ComparedPoint::measured_median_s);
  return static_cast<std::size_t>(best - points.begin());
}

std::size_t ComparedSetting::chosen() const {
  std::vector<predictor::Prediction> predictions;
  for (const ComparedPoint& point : points) {
    predictor::Prediction& one = predictions.emplace_back();
    one.scheduler = point.scheduler;
    one.makespan_s = point.predicted_median_s;
    one.makespans_s = {one.makespan_s};
  }
  return predictor::choose(predictions, built_in_schedulers()).chosen;
}

double ComparedSetting::regret() const {
  return points[chosen()].measured_median_s / points[best_measured()].measured_median_s - 1;
}

double ComparedSetting::auto_regret() const {
  return granularity::median_of(automatic.measured_s) / points[best_measured()].measured_median_s - 1;
}

double ComparedSetting::order() const {
  Index right = 0, all = 0;
  for (const ComparedPoint& one : points)
    for (const ComparedPoint& other : points) {
      if (!(other.measured_median_s > same_ratio * one.measured_median_s)) continue;
      ++all;
      right += other.predicted_median_s > one.predicted_median_s ? 1 : 0;
    }
  return all > 0 ? static_cast<double>(right) / static_cast<double>(all) : 1;
}

}  // namespace loadshare::tool
