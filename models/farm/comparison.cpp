#include "models/farm/comparison.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <variant>

#include "base/error.hpp"
#include "base/io/text.hpp"
#include "base/statistics.hpp"
#include "models/farm/prediction.hpp"
#include "runtime/records/reading.hpp"

namespace loadshare::predictor {
namespace {

constexpr double same_ratio = 1.02;

std::string load_without_seed(const RunRecord& run) {
  return run.load ? without_seed(run.load->spec) : "none";
}

std::string setting_name(const RunRecord& run, const std::string& experiment) {
  const FarmSetting setting = setting_of(run);
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
    setting.automatic.forecast_s.push_back(run.choice->predicted_s);
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

/// Less than 0 is no error, but a win: the last decile and the worst are the largest.
ErrorFigures figures_of_regrets(std::vector<double> regrets) {
  ErrorFigures figures = figures_of(regrets);
  if (regrets.empty()) return figures;
  figures.median = figures.signed_median;
  figures.ninth_decile = figures.last_decile;
  figures.worst = *std::ranges::max_element(regrets);
  return figures;
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
  std::vector<Prediction> predictions;
  for (const ComparedPoint& point : points) {
    Prediction& one = predictions.emplace_back();
    one.scheduler = point.scheduler;
    one.makespan_s = point.predicted_median_s;
    one.makespans_s = {one.makespan_s};
  }
  return choose(predictions, built_in_schedulers()).chosen;
}

double ComparedSetting::regret() const {
  return points[chosen()].measured_median_s / points[best_measured()].measured_median_s - 1;
}

double ComparedSetting::auto_regret() const {
  return median_of(automatic.measured_s) / points[best_measured()].measured_median_s - 1;
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

std::string disturbance_of(const std::vector<ComparedSetting>& settings, const FarmRuns& runs) {
  constexpr double most_stolen = 0.05;
  std::vector<std::string> disturbed;
  for (const ComparedSetting& setting : settings)
    for (const ComparedPoint& point : setting.points) {
      std::vector<double> stolen;
      for (const std::size_t run : point.runs)
        if (!runs.runs[run].load) stolen.push_back(worker_shares(runs.runs[run]).stolen);
      if (stolen.empty() || median_of(stolen) <= most_stolen) continue;
      disturbed.push_back(fmt::format("{} ({})", point.scheduler, percent_text(median_of(stolen))));
    }
  if (disturbed.empty()) return "";
  return fmt::format(
      "other programs had a share of the workers' time in the runs of {}; the predictions are for hosts "
      "without them",
      fmt::join(disturbed, ", "));
}

Basis::Basis(const FarmRuns& measured, const FarmRuns& own) : measured_(measured), own_(own.runs) {
  for (const RunRecord& run : own_) require_same_loop(run, "one of the runs that the model is fitted to");
}

void Basis::require_same_loop(const RunRecord& run, const std::string& what) const {
  if (const auto other = loop_difference(run, own_.front()))
    throw UsageError(what + " is of another loop than the first that the model is fitted to", *other,
                     "fit the model to runs of the same loop");
}

std::vector<RunRecord> Basis::runs_for(const ComparedSetting& setting, const ComparedPoint& point) const {
  if (is_own()) {
    require_same_loop(measured_.runs[point.runs.front()], "a run that is to be predicted");
    return own_;
  }
  std::vector<RunRecord> others;
  for (const ComparedPoint& other : setting.points)
    if (other.scheduler != point.scheduler)
      for (const std::size_t run : other.runs) others.push_back(measured_.runs[run]);
  return others;
}

ErrorFigures figures_of(std::vector<double> errors) {
  ErrorFigures figures;
  figures.points = errors.size();
  if (errors.empty()) return figures;
  figures.signed_median = quantile_of(errors, 0.5);
  figures.first_decile = quantile_of(errors, 0.1);
  figures.last_decile = quantile_of(errors, 0.9);
  figures.worst = *std::ranges::max_element(errors, {}, [](double error) { return std::abs(error); });
  for (double& error : errors) error = std::abs(error);
  figures.median = quantile_of(errors, 0.5);
  figures.ninth_decile = quantile_of(errors, 0.9);
  return figures;
}

ErrorFigures makespan_errors(const std::vector<ComparedSetting>& settings, bool has_load) {
  std::vector<double> errors;
  for (const ComparedSetting& setting : settings)
    if (setting.has_load == has_load)
      for (const ComparedPoint& point : setting.points) errors.push_back(point.error());
  return figures_of(std::move(errors));
}

ErrorFigures regrets(const std::vector<ComparedSetting>& settings) {
  std::vector<double> all;
  for (const ComparedSetting& setting : settings)
    if (setting.points.size() > 1) all.push_back(setting.regret());
  return figures_of_regrets(std::move(all));
}

ErrorFigures auto_regrets(const std::vector<ComparedSetting>& settings) {
  std::vector<double> all;
  for (const ComparedSetting& setting : settings)
    if (!setting.automatic.measured_s.empty()) all.push_back(setting.auto_regret());
  return figures_of_regrets(std::move(all));
}

ErrorFigures auto_errors(const std::vector<ComparedSetting>& settings) {
  std::vector<double> errors;
  for (const ComparedSetting& setting : settings)
    for (std::size_t i = 0; i < setting.automatic.chosen.size(); ++i)
      if (!setting.automatic.chosen[i].empty())
        errors.push_back(setting.automatic.forecast_s[i] / setting.automatic.measured_s[i] - 1);
  return figures_of(std::move(errors));
}

ErrorFigures eta_errors(const std::vector<RunRecord>& runs) {
  std::vector<double> errors;
  for (const RunRecord& run : runs)
    for (const EtaRecord& eta : run.etas) errors.push_back(eta.makespan_s / run.makespan_s - 1);
  return figures_of(std::move(errors));
}

Coverage coverage(const std::vector<ComparedSetting>& settings) {
  Coverage all;
  for (const ComparedSetting& setting : settings)
    for (const ComparedPoint& point : setting.points) {
      if (point.low_s == point.high_s) continue;  // nothing is left to chance there: it has no interval
      all.covered += point.covered();
      all.runs += point.runs.size();
    }
  return all;
}

}  // namespace loadshare::predictor
