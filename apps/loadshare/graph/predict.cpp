#include "apps/loadshare/graph/predict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "apps/loadshare/graph/evaluate.hpp"
#include "apps/loadshare/graph/graph_yaml.hpp"
#include "apps/loadshare/output.hpp"
#include "apps/loadshare/wording.hpp"
#include "base/io/files.hpp"
#include "base/io/text.hpp"
#include "base/quantities.hpp"
#include "models/program/reconstruction/prediction.hpp"

namespace loadshare::tool {
namespace {

/// A setting, what a run of it will take, and what runs of it took.
struct PredictedPoint {
  scaling::Setting setting;
  std::optional<double> measured_s;  ///< nothing: no run of it is among the sources
  reconstruction::Prediction prediction;
};

/// What was made of a program's runs.
struct PredictionReport {
  std::string program;
  std::string costs;  ///< what the messages' costs are from, for people
  reconstruction::Reconstruction rebuilt;
  std::vector<PredictedPoint> points;
  std::vector<std::string> notes;
};

/// For people: a line a point, the partial times with their laws, and of a single point where its time goes.
std::string prediction_report_text(const PredictionReport& report);

/// One line of JSON, schema 1.
std::string prediction_report_json(const PredictionReport& report);

using nlohmann::ordered_json;

constexpr int prediction_schema = 1;

std::vector<std::string> all_notes(const reconstruction::Prediction& said) {
  std::vector<std::string> notes = said.notes;
  notes.insert(notes.end(), said.mean.notes.begin(), said.mean.notes.end());
  return notes;
}

ordered_json point_json(const PredictedPoint& point) {
  const reconstruction::Prediction& said = point.prediction;
  ordered_json json{{"at", point.setting},
                    {"predicted_s", said.seconds},
                    {"low_s", said.interval ? ordered_json(said.interval->low_s) : ordered_json(nullptr)},
                    {"high_s", said.interval ? ordered_json(said.interval->high_s) : ordered_json(nullptr)},
                    {"replicates", said.replicates},
                    {"makespan_s", said.mean.makespan_s},
                    {"t_exec_s", said.sum_of_parts.t_exec_s},
                    {"extrapolated", said.extrapolations},
                    {"notes", all_notes(said)}};
  json["measured_s"] = point.measured_s ? ordered_json(*point.measured_s) : ordered_json(nullptr);
  return json;
}

ordered_json times_json(const PredictionReport& report) {
  ordered_json times = ordered_json::array();
  for (const reconstruction::PartialTime& time : report.rebuilt.times)
    times.push_back(
        {{"label", time.label},
         {"seconds", time.law.text()},
         {"error", time.law.fit().error ? ordered_json(*time.law.fit().error) : ordered_json(nullptr)},
         {"settings", time.law.fit().settings},
         {"share", time.share}});
  return times;
}

std::string prediction_report_json(const PredictionReport& report) {
  ordered_json points = ordered_json::array();
  for (const PredictedPoint& point : report.points) points.push_back(point_json(point));
  const ordered_json json{{"schema", prediction_schema},
                          {"program", report.program},
                          {"costs", report.costs},
                          {"points", points},
                          {"partial_times", times_json(report)},
                          {"notes", report.notes}};
  return json.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

using Cells = std::vector<std::string>;
using reconstruction::PartialTime;

constexpr std::size_t most_times_shown = 12;

Cells heading(const scaling::Setting& setting) {
  Cells cells;
  for (const auto& [name, value] : setting) cells.push_back(name);
  for (const char* title : {"predicted", "9 of 10 from", "to", "T_exec", "measured", "error"})
    cells.emplace_back(title);
  return cells;
}

Cells point_cells(const PredictedPoint& point) {
  Cells cells;
  for (const auto& [name, value] : point.setting) cells.push_back(fmt::format("{}", value));
  const reconstruction::Prediction& said = point.prediction;
  cells.push_back(duration_text(said.seconds));
  cells.push_back(said.interval ? duration_text(said.interval->low_s) : "-");
  cells.push_back(said.interval ? duration_text(said.interval->high_s) : "-");
  cells.push_back(duration_text(said.sum_of_parts.t_exec_s));
  cells.push_back(point.measured_s ? duration_text(*point.measured_s) : "-");
  cells.push_back(point.measured_s ? fmt::format("{:+.1f} %", 100 * (said.seconds / *point.measured_s - 1))
                                   : "-");
  return cells;
}

std::string points_table(const PredictionReport& report) {
  std::vector<Cells> rows{heading(report.points.front().setting)};
  for (const PredictedPoint& point : report.points) rows.push_back(point_cells(point));
  return table_text(rows);
}

std::string error_text(const scaling::Law& law) {
  if (!law.fit().error) return "unknown";
  return law.is_exact() ? "-" : percent_text(*law.fit().error);
}

std::string times_table(const PredictionReport& report) {
  std::vector<PartialTime> times = report.rebuilt.times;
  std::ranges::stable_sort(times, std::ranges::greater{}, &PartialTime::share);
  const std::size_t shown = std::min(times.size(), most_times_shown);
  std::vector<Cells> rows{{"partial time", "seconds", "error", "share"}};
  for (const PartialTime& time : std::span(times).first(shown))
    rows.push_back({time.label, time.law.short_text(), error_text(time.law), percent_text(time.share)});
  const std::string rest =
      shown == times.size() ? "" : fmt::format("... and {} smaller ones\n", times.size() - shown);
  return "\n" + table_text(rows, 2) + rest;
}

std::vector<std::string> notes_of(const PredictionReport& report) {
  std::vector<std::string> notes = report.notes;
  std::set<std::string> extrapolations;
  std::set<std::string> of_points;
  for (const PredictedPoint& point : report.points) {
    extrapolations.insert(point.prediction.extrapolations.begin(), point.prediction.extrapolations.end());
    of_points.insert(point.prediction.notes.begin(), point.prediction.notes.end());
    of_points.insert(point.prediction.mean.notes.begin(), point.prediction.mean.notes.end());
  }
  notes.insert(notes.end(), of_points.begin(), of_points.end());
  for (const std::string& what : extrapolations) notes.push_back("extrapolated: " + what);
  return notes;
}

/// A single point's processes and critical path, as of a graph that was evaluated.
std::string details(const PredictionReport& report) {
  if (report.points.size() != 1) return "";
  const PredictedPoint& point = report.points.front();
  EvaluationReport evaluated{report.program,        {},
                             report.costs,          point.prediction.program,
                             point.prediction.mean, point.prediction.sum_of_parts};
  evaluated.matched.notes.clear();
  for (const auto& [name, value] : point.setting) evaluated.settings.push_back({name, value});
  return "\nevery partial time at its mean, so that nobody waits for who happens to be late: " +
         evaluation_text(evaluated);
}

std::string prediction_report_text(const PredictionReport& report) {
  return fmt::format("{}; messages cost {}\n\n", report.program, report.costs) + points_table(report) +
         times_table(report) + details(report) + notes_text(notes_of(report));
}

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
  if (!path.empty()) replace_file(path, text);
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
