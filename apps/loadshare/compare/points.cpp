#include "apps/loadshare/compare/points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "apps/loadshare/predict/question.hpp"
#include "models/predictor/choice.hpp"

namespace loadshare::tool {
namespace {

constexpr double same_ratio = 1.02;

/// A sweep gives each repetition other random phases of the same load.
std::string load_without_seed(const RunRecord& run) {
  if (!run.load) return "none";
  std::string load = run.load->spec;
  constexpr std::string_view seed = ",seed=";
  const std::size_t from = load.find(seed);
  if (from == std::string::npos) return load;
  return load.erase(from, load.find(',', from + seed.size()) - from);
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

/// Sweeps may have experiments of one name.
void tell_namesakes_apart(std::vector<ComparedSetting>& settings) {
  std::map<std::string, std::size_t> counts;
  for (const ComparedSetting& setting : settings) ++counts[setting.name];
  for (ComparedSetting& setting : settings)
    if (counts.at(setting.name) > 1 && !setting.sweep.empty()) setting.name += ", in " + setting.sweep;
}

}  // namespace

std::vector<ComparedSetting> compared_settings(const FarmRuns& runs) {
  std::vector<ComparedSetting> settings;
  std::map<std::pair<std::string, std::string>, std::size_t> places;
  for (std::size_t i = 0; i < runs.runs.size(); ++i) {
    const RunRecord& run = runs.runs[i];
    const auto& [sweep, experiment, id] = runs.places[i];
    const std::string name = setting_name(run, experiment);
    const auto [place, is_new] = places.try_emplace({sweep, name}, settings.size());
    if (is_new) settings.push_back({sweep, experiment, name, run.load.has_value(), {}});
    ComparedPoint& point = point_of(settings[place->second], run.scheduler, id);
    point.runs.push_back(i);
    point.measured_s.push_back(run.makespan_s);
  }
  tell_namesakes_apart(settings);
  return settings;
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
