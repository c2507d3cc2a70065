#include "apps/loadshare/predict/predict.hpp"

#include <cstdio>

#include "apps/common/standard_output.hpp"
#include "apps/common/whole_number.hpp"
#include "apps/loadshare/output.hpp"
#include "apps/loadshare/predict/prediction_report.hpp"
#include "experiments/report/launch.hpp"
#include "runtime/timing/clock.hpp"
#include "schedulers/table.hpp"

namespace loadshare::tool {
namespace {

constexpr Index most_replicates = 10'000;
constexpr std::size_t most_chunks_shown = 20'000;  // of a picture

std::vector<std::string> schedulers_of(const FarmPredictRequest& request, const SchedulerTable& table,
                                       const predictor::Scenario& scenario) {
  if (request.schedulers.empty())
    return table.candidates({scenario.loop.iterations(), static_cast<Index>(scenario.workers.size())});
  return request.schedulers;
}

FarmPrediction answer_to(const Question& question, const FarmPredictRequest& request) {
  const Index replicates = whole_number("--replicates", request.replicates, 1, most_replicates);
  const SchedulerTable table = built_in_schedulers();
  for (const std::string& spec : request.schedulers) table.parse(spec);
  const double begun_s = monotonic_s();
  const predictor::Predictor predictor(
      table,
      [&question](std::uint64_t replicate) {
        return make_scenario(question.model, question.setting, question.network, replicate);
      },
      has_chance(question.model, question.setting) ? static_cast<std::size_t>(replicates) : 1);
  FarmPrediction all;
  for (const std::string& spec : schedulers_of(request, table, predictor.middle()))
    all.predictions.push_back(predictor.predict(spec));
  all.choice = predictor::choose(all.predictions, table);
  if (!request.outputs.json.empty() || !request.outputs.plot.empty())
    all.chunks = predictor.chunks(all.predictions[all.choice.chosen].scheduler, most_chunks_shown + 1);
  all.are_all_chunks = all.chunks.size() <= most_chunks_shown;
  if (!all.are_all_chunks) all.chunks.pop_back();
  if (request.asks_how_many)
    all.host_counts =
        predict_host_counts(question, table, request.schedulers, static_cast<std::size_t>(replicates));
  all.seconds = monotonic_s() - begun_s;
  return all;
}

}  // namespace

ExitCode predict_farm(const FarmPredictRequest& request) {
  require_outputs(request.outputs, request.question.runs);
  const Question question = read_question(request.question);
  const FarmPrediction prediction = answer_to(question, request);
  show(request.outputs.json == "-" ? stderr : stdout, "the prediction",
       farm_prediction_text(question, prediction));
  const std::string json = farm_prediction_json(question, prediction);
  if (!request.outputs.json.empty()) write_json(request.outputs.json, json);
  finish_printing();
  if (!request.outputs.plot.empty()) report::run_python({"gantt-plot", request.outputs.plot}, json);
  return ExitCode::good;
}

}  // namespace loadshare::tool
