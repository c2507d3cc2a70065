#include "apps/loadshare/compare/compare.hpp"

#include <algorithm>
#include <cstdio>
#include <memory>

#include "apps/common/standard_output.hpp"
#include "apps/loadshare/compare/basis.hpp"
#include "apps/loadshare/output.hpp"
#include "apps/loadshare/predict/hosts.hpp"
#include "apps/loadshare/predict/network.hpp"
#include "experiments/report/launch.hpp"
#include "models/granularity/spread.hpp"
#include "models/predictor/farm_simulation.hpp"

namespace loadshare::tool {
namespace {

/// Predicts runs one by one, each beside the load that it had.
class RunPredictor {
 public:
  RunPredictor(const CompareRequest& request, Comparison& comparison)
      : request_(request), comparison_(comparison), table_(built_in_schedulers()) {
    if (!request.hosts.empty()) hosts_ = read_hosts(request.hosts);
  }

  double makespan_s(const predictor::FarmModel& model, const RunRecord& run, std::uint64_t number) {
    const predictor::FarmSetting setting = setting_for(run);
    const predictor::Scenario scenario = make_scenario(model, setting, network_for(setting), 0);
    const LoopShape shape{scenario.loop.iterations(), static_cast<Index>(scenario.workers.size())};
    return predictor::FarmSimulation(scenario, table_.make(run.scheduler, shape), number).run().makespan_s;
  }

 private:
  predictor::FarmSetting setting_for(const RunRecord& run) const {
    predictor::FarmSetting setting = setting_of(run);
    if (hosts_.empty()) return setting;
    if (hosts_.size() != setting.hosts.size())
      throw UsageError("--hosts has " + std::to_string(hosts_.size()) + " hosts",
                       "a run had " + std::to_string(setting.hosts.size()) + " ranks",
                       "give those of the runs");
    setting.hosts = hosts_;
    return setting;
  }

  const predictor::Network& network_for(const predictor::FarmSetting& setting) {
    if (network_) return network_;
    Question question;
    question.setting = setting;
    QuestionRequest request;
    request.costs = request_.costs;
    request.has_costs = request_.has_costs;
    request.is_strict = request_.is_strict;
    choose_network(request, question);
    comparison_.network_text = question.network_text;
    comparison_.notes.insert(comparison_.notes.end(), question.notes.begin(), question.notes.end());
    network_ = question.network;
    return network_;
  }

  const CompareRequest& request_;
  Comparison& comparison_;
  SchedulerTable table_;
  std::vector<predictor::HostModel> hosts_;
  predictor::Network network_;
};

/// The runs that the models come from; none: they come from those that are compared.
FarmRuns own_runs(const CompareRequest& request, FarmRuns& measured) {
  if (!request.own.empty()) return take_experiment(measured, request.own);
  return request.from.empty() ? FarmRuns{} : read_farm_runs(request.from);
}

Comparison comparison_of(const CompareRequest& request) {
  FarmRuns measured = read_farm_runs(request.runs);
  const FarmRuns own = own_runs(request, measured);
  const Basis basis(measured, own);
  Comparison all;
  all.program = measured.runs.front().app;
  all.notes = measured.notes;
  all.settings = compared_settings(measured);
  RunPredictor predictor(request, all);
  for (ComparedSetting& setting : all.settings)
    for (ComparedPoint& point : setting.points) {
      const predictor::FarmModel model = basis.model_for(setting, point);
      for (const std::size_t run : point.runs)
        point.predicted_s.push_back(
            predictor.makespan_s(model, measured.runs[run], 1 + point.predicted_s.size()));
      point.measured_median_s = granularity::median_of(point.measured_s);
      point.predicted_median_s = granularity::median_of(point.predicted_s);
    }
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
