#include "apps/loadshare/compare/compare.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <utility>

#include "apps/common/standard_output.hpp"
#include "apps/loadshare/compare/basis.hpp"
#include "apps/loadshare/output.hpp"
#include "apps/loadshare/predict/hosts.hpp"
#include "apps/loadshare/predict/network.hpp"
#include "experiments/report/launch.hpp"
#include "models/granularity/spread.hpp"
#include "models/predictor/prediction.hpp"
#include "runtime/timing/wording.hpp"

namespace loadshare::tool {
namespace {

constexpr std::size_t replicates = 15;  // of each run

/// Predicts runs one by one, each beside the load that it had.
class RunPredictor {
 public:
  RunPredictor(const CompareRequest& request, Comparison& comparison)
      : request_(request), comparison_(comparison), table_(built_in_schedulers()) {
    if (!request.hosts.empty()) hosts_ = read_hosts(request.hosts);
  }

  predictor::Prediction predict(predictor::FarmModel model, const RunRecord& run) {
    if (request_.is_at_run_speed) {
      model.loop.seconds_per_work *= relative_cost(model.loop, run);
      model.loop.run_deviation = 0;
    }
    const predictor::FarmSetting setting = setting_for(run);
    const predictor::Network& network = network_for(setting);
    const auto make = [&](std::uint64_t replicate) {
      return make_scenario(model, setting, network, replicate);
    };
    return predictor::Predictor(table_, make, has_chance(model, setting) ? replicates : 1)
        .predict(run.scheduler);
  }

 private:
  predictor::FarmSetting setting_for(const RunRecord& run) const {
    predictor::FarmSetting setting = setting_of(run);
    setting.knows_phases = true;
    if (hosts_.empty()) return setting;
    if (hosts_.size() != setting.hosts.size())
      throw UsageError("--hosts has " + std::to_string(hosts_.size()) + " hosts",
                       "a run had " + std::to_string(setting.hosts.size()) + " ranks",
                       "give those of the runs");
    setting.hosts = hosts_;
    return setting;
  }

  /// Chosen once for each list of hosts: sweeps may come from several.
  const predictor::Network& network_for(const predictor::FarmSetting& setting) {
    std::vector<std::pair<std::string, double>> key;
    for (const predictor::HostModel& host : setting.hosts) key.emplace_back(host.name, host.link_bytes_per_s);
    const auto [place, is_new] = networks_.try_emplace(std::move(key));
    if (is_new) place->second = chosen_network(setting);
    return place->second;
  }

  predictor::Network chosen_network(const predictor::FarmSetting& setting) {
    Question question;
    question.setting = setting;
    QuestionRequest request;
    request.costs = request_.costs;
    request.has_costs = request_.has_costs;
    request.is_strict = request_.is_strict;
    choose_network(request, question);
    if (std::ranges::find(comparison_.networks, question.network_text) == comparison_.networks.end())
      comparison_.networks.push_back(question.network_text);
    for (const std::string& note : question.notes)
      if (std::ranges::find(comparison_.notes, note) == comparison_.notes.end())
        comparison_.notes.push_back(note);
    return question.network;
  }

  const CompareRequest& request_;
  Comparison& comparison_;
  SchedulerTable table_;
  std::vector<predictor::HostModel> hosts_;
  std::map<std::vector<std::pair<std::string, double>>, predictor::Network> networks_;
};

/// The runs that the models come from; none: they come from those that are compared.
FarmRuns own_runs(const CompareRequest& request, FarmRuns& measured) {
  if (!request.own.empty()) return take_experiment(measured, request.own);
  return request.from.empty() ? FarmRuns{} : read_farm_runs(request.from);
}

void predict_point(RunPredictor& predictor, const predictor::FarmModel& model, const FarmRuns& measured,
                   ComparedPoint& point) {
  using granularity::quantile_of;
  std::vector<double> all_s;
  for (const std::size_t run : point.runs) {
    const predictor::Prediction one = predictor.predict(model, measured.runs[run]);
    point.predicted_s.push_back(one.makespan_s);
    all_s.insert(all_s.end(), one.makespans_s.begin(), one.makespans_s.end());
  }
  point.measured_median_s = granularity::median_of(point.measured_s);
  point.predicted_median_s = granularity::median_of(point.predicted_s);
  point.low_s = quantile_of(all_s, 0.05);
  point.high_s = quantile_of(all_s, 0.95);
}

/// Whose hosts are not all known cannot be predicted.
void leave_out_vanished(FarmRuns& runs) {
  FarmRuns kept;
  for (std::size_t i = 0; i < runs.runs.size(); ++i) {
    if (has_vanished_host(runs.runs[i])) continue;
    kept.runs.push_back(std::move(runs.runs[i]));
    kept.places.push_back(std::move(runs.places[i]));
  }
  if (kept.runs.empty())
    throw UsageError("in all runs a host had vanished", "which one is not known", "make them again");
  kept.notes = std::move(runs.notes);
  if (kept.runs.size() < runs.runs.size())
    kept.notes.push_back(count_text(std::ssize(runs.runs) - std::ssize(kept.runs), "run", "runs") +
                         " left out: a host had vanished before the end");
  runs = std::move(kept);
}

void drop_settings_of_auto_alone(Comparison& all) {
  const std::size_t before = all.settings.size();
  std::erase_if(all.settings, [](const ComparedSetting& setting) { return setting.points.empty(); });
  if (all.settings.empty())
    throw UsageError("all runs chose their technique themselves", "auto is compared with others",
                     "give runs of the same loop with --scheduler gss or another");
  if (all.settings.size() < before)
    all.notes.emplace_back("settings that only auto ran in are left out: it is compared with others");
}

Comparison comparison_of(const CompareRequest& request) {
  FarmRuns measured = read_farm_runs(request.runs);
  leave_out_vanished(measured);
  const FarmRuns own = own_runs(request, measured);
  const Basis basis(measured, own);
  Comparison all;
  all.program = measured.runs.front().app;
  all.is_at_run_speed = request.is_at_run_speed;
  all.notes = measured.notes;
  all.settings = compared_settings(measured);
  all.etas = eta_errors(measured.runs);
  drop_settings_of_auto_alone(all);
  RunPredictor predictor(request, all);
  for (ComparedSetting& setting : all.settings)
    for (ComparedPoint& point : setting.points)
      predict_point(predictor, basis.model_for(setting, point), measured, point);
  return all;
}

}  // namespace

ExitCode compare_runs(const CompareRequest& request) {
  require_outputs(request.outputs, request.runs);
  const Comparison comparison = comparison_of(request);
  show(request.outputs.json == "-" ? stderr : stdout, "the comparison", comparison_text(comparison));
  const std::string json = comparison_json(comparison);
  if (!request.outputs.json.empty()) write_json(request.outputs.json, json);
  finish_printing();
  if (!request.outputs.plot.empty()) report::run_python({"comparison-plot", request.outputs.plot}, json);
  return ExitCode::good;
}

}  // namespace loadshare::tool
