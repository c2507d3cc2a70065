#include "apps/loadshare/graph/predict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "apps/common/number.hpp"
#include "apps/common/own_files.hpp"
#include "apps/common/standard_output.hpp"
#include "apps/loadshare/graph/assignments.hpp"
#include "apps/loadshare/graph/graph_yaml.hpp"
#include "apps/loadshare/graph/prediction_report.hpp"
#include "apps/loadshare/graph/profiled_runs.hpp"
#include "apps/loadshare/output.hpp"
#include "runtime/timing/output_path.hpp"

namespace loadshare::tool {
namespace {

std::string file_of(const std::string& output) {
  return output == "-" ? "" : output;
}

void require_outputs(const GraphPredictRequest& request) {
  std::vector<NamedFile> read;
  for (const std::string& word : request.runs) read.push_back({"--from", file_of_run(word)});
  if (!request.costs.calibration.empty()) read.push_back({"--calibration", request.costs.calibration});
  require_own_files(read, {{"--yaml", request.yaml}, {"--json", file_of(request.json)}});
  if (!request.yaml.empty()) require_writable(request.yaml, "the graph");
  if (!file_of(request.json).empty()) require_writable(request.json, "the JSON");
}

std::vector<SourceRun> read_runs(const std::vector<std::string>& words) {
  std::vector<SourceRun> runs;
  for (const std::string& word : words) {
    runs.push_back(read_source_run(word));
    if (runs.back().program != runs.front().program)
      throw UsageError(fmt::format("{} is of {}, {} of {}", runs.front().run.name, runs.front().program,
                                   runs.back().run.name, runs.back().program),
                       "a graph is built from runs of one program");
  }
  return runs;
}

std::vector<reconstruction::ProfiledRun> plain(const std::vector<SourceRun>& sources) {
  std::vector<reconstruction::ProfiledRun> runs;
  for (const SourceRun& source : sources) runs.push_back(source.run);
  return runs;
}

/// A setting that is asked for: every parameter of the runs has a value, and no other.
scaling::Setting parse_wanted(const std::string& text, const scaling::Setting& known) {
  scaling::Setting wanted;
  for (const Assignment& given : parse_assignments("--at", text)) {
    if (!known.contains(given.name))
      throw UsageError(fmt::format("--at has '{}'", given.name), "no run has a parameter of that name",
                       fmt::format("tell it with every run: --from {}=...:FILE", given.name));
    wanted[given.name] = number("--at", given.value);
    if (wanted[given.name] <= 0)
      throw UsageError(fmt::format("--at has '{}={}'", given.name, given.value),
                       "laws are of positive sizes");
  }
  for (const auto& [name, value] : known)
    if (!wanted.contains(name))
      throw UsageError(fmt::format("--at is '{}'", text), fmt::format("it has no value for {}", name));
  return wanted;
}

std::vector<scaling::Setting> wanted_settings(const GraphPredictRequest& request,
                                              const std::vector<SourceRun>& runs) {
  std::vector<scaling::Setting> wanted;
  for (const std::string& text : request.settings)
    wanted.push_back(parse_wanted(text, runs.front().run.setting));
  if (!wanted.empty()) return wanted;
  std::set<scaling::Setting> all;
  for (const SourceRun& source : runs) all.insert(source.run.setting);
  return {all.begin(), all.end()};
}

/// What the runs of that setting took, on the average; nothing where there is none.
std::optional<double> measured_s(const scaling::Setting& setting, const std::vector<SourceRun>& runs) {
  double sum_s = 0;
  int count = 0;
  for (const SourceRun& source : runs) {
    if (source.run.setting != setting) continue;
    sum_s += source.run.makespan_s;
    ++count;
  }
  return count > 0 ? std::optional(sum_s / count) : std::nullopt;
}

PredictionReport predicted(const GraphPredictRequest& request, const std::vector<SourceRun>& runs) {
  const KnownCosts costs = message_costs(request.costs);
  PredictionReport all;
  all.program = runs.front().program;
  all.costs = costs.description;
  if (request.costs.calibration.empty() && request.costs.costs == CostsRequest{}.costs)
    all.notes.emplace_back(
        "messages cost what they do on Ethernet of 100 Mbit/s: give --calibration, or --costs");
  const std::string note = other_hosts(costs, runs);
  if (!note.empty()) all.notes.push_back(note);
  all.rebuilt = reconstruction::reconstruct(plain(runs));
  all.rebuilt.graph.name = all.program;
  all.notes.insert(all.notes.end(), all.rebuilt.notes.begin(), all.rebuilt.notes.end());
  for (const scaling::Setting& setting : wanted_settings(request, runs)) {
    PredictedPoint& point = all.points.emplace_back();
    point.setting = setting;
    point.measured_s = measured_s(setting, runs);
    point.prediction = reconstruction::predict(
        all.rebuilt, setting, *costs.costs,
        {.costs_uncertainty = costs.uncertainty, .collectives = costs.collectives.get()});
    if (std::string sizes = unmeasured_sizes(costs, point.prediction.mean.messages); !sizes.empty())
      point.prediction.notes.push_back(std::move(sizes));
    std::ranges::copy(notes_on_calls(costs, point.prediction.program),
                      std::back_inserter(point.prediction.notes));
  }
  return all;
}

void write_file(const std::string& path, const std::string& text) {
  if (!path.empty()) replace_file(path, [&](const ByteSink& sink) { sink(text); });
}

}  // namespace

ExitCode predict_program(const GraphPredictRequest& request) {
  require_outputs(request);
  const PredictionReport all = predicted(request, read_runs(request.runs));
  show(request.json == "-" ? stderr : stdout, "the prediction", prediction_report_text(all));
  if (!request.yaml.empty()) write_file(request.yaml, graph_yaml(all.rebuilt.graph));
  if (!request.json.empty()) write_json(request.json, prediction_report_json(all));
  return ExitCode::good;
}

}  // namespace loadshare::tool
