#include "apps/loadshare/graph_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>

#include "apps/loadshare/command.hpp"
#include "apps/loadshare/output.hpp"
#include "base/io/files.hpp"
#include "base/io/text.hpp"
#include "base/quantities.hpp"
#include "base/statistics.hpp"
#include "models/program/reconstruction/prediction.hpp"

namespace loadshare::tool {
namespace {

using namespace timing_graph;
using nlohmann::ordered_json;
using reconstruction::PartialTime;
using Cells = std::vector<std::string>;

void add_steps(std::string& text, const Steps& steps, int indent);

void add_side(std::string& text, const char* name, const Steps& steps, int indent) {
  if (steps.empty()) return;
  text += fmt::format("{:{}}{}\n", "", indent, name);
  add_steps(text, steps, indent + 2);
}

void add_steps(std::string& text, const Steps& steps, int indent) {
  for (const Step& step : steps) {
    text += fmt::format("{:{}}{}\n", "", indent, step_text(step));
    if (const auto* loop = std::get_if<Loop>(&step.action)) add_steps(text, loop->steps, indent + 2);
    if (const auto* branch = std::get_if<Branch>(&step.action)) {
      add_side(text, "then", branch->then, indent + 2);
      add_side(text, "else", branch->otherwise, indent + 2);
    }
  }
}

std::string parameters_text(const Graph& graph, const std::vector<timing_graph::Setting>& settings) {
  std::string text;
  for (const Parameter& parameter : graph.parameters) {
    std::string value = parameter.value.text;
    for (const timing_graph::Setting& setting : settings)
      if (setting.name == parameter.name) value = fmt::format("{}", setting.value);
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", parameter.name, value);
  }
  return text;
}

constexpr int evaluation_schema = 1;

ordered_json ranks_json(const EvaluationReport& report) {
  ordered_json ranks = ordered_json::array();
  for (std::size_t rank = 0; rank < report.matched.processes.size(); ++rank) {
    const timing_graph::ProcessTimes& times = report.matched.processes[rank];
    ranks.push_back({{"rank", rank},
                     {"computing_s", times.computing_s},
                     {"communicating_s", times.communicating_s},
                     {"idle_s", times.idle_s},
                     {"finish_s", times.finish_s},
                     {"sum_of_parts_s", report.sum.processes[rank].finish_s}});
  }
  return ranks;
}

ordered_json path_json(const EvaluationReport& report) {
  ordered_json path = ordered_json::array();
  for (const PathShare& share : path_shares(report.matched)) {
    const timing_graph::Origin& origin = report.program.origins[share.origin];
    path.push_back({{"rank", share.process},
                    {"step", origin.name},
                    {"place", text_of(origin.place)},
                    {"seconds", share.seconds}});
  }
  return path;
}

constexpr std::size_t most_ranks_shown = 32;
constexpr std::size_t shown_at_each_end = 12;
constexpr std::size_t most_shares_shown = 8;

std::string title(const EvaluationReport& report) {
  std::string text = report.name;
  for (const timing_graph::Setting& setting : report.settings)
    text += fmt::format("{} {} = {}", setting.name == report.settings.front().name ? ":" : ",", setting.name,
                        setting.value);
  return text + fmt::format("; messages cost {}", report.costs);
}

std::string makespans(const EvaluationReport& report) {
  return fmt::format(
      "makespan  {:>10}  messages matched: a receive waits for its send\n"
      "T_exec    {:>10}  max over the processes of the sum of their parts\n",
      duration_text(report.matched.makespan_s), duration_text(report.sum.t_exec_s));
}

Cells rank_cells(const EvaluationReport& report, std::size_t rank) {
  const ProcessTimes& times = report.matched.processes[rank];
  return {fmt::format("{}", rank),
          duration_text(times.computing_s),
          duration_text(times.communicating_s),
          duration_text(times.idle_s),
          duration_text(times.finish_s),
          duration_text(report.sum.processes[rank].finish_s)};
}

std::string ranks_table(const EvaluationReport& report) {
  std::vector<Cells> rows{{"rank", "computing", "communicating", "idle", "finish", "sum of parts"}};
  const std::size_t count = report.matched.processes.size();
  for (std::size_t rank = 0; rank < count; ++rank) {
    const bool is_left_out =
        count > most_ranks_shown && rank >= shown_at_each_end && rank < count - shown_at_each_end;
    if (!is_left_out)
      rows.push_back(rank_cells(report, rank));
    else if (rank == shown_at_each_end)
      rows.push_back({"...", fmt::format("{} more", count - 2 * shown_at_each_end), "", "", "", ""});
  }
  return table_text(rows);
}

/// One step on the critical path, whoever makes it.
struct StepShare {
  std::uint32_t origin = 0;
  double seconds = 0;
  int ranks = 0;
};

std::vector<StepShare> step_shares(const EvaluationReport& report) {
  std::map<std::uint32_t, StepShare> sums;
  for (const PathShare& share : path_shares(report.matched)) {
    StepShare& sum = sums[share.origin];
    sum = {share.origin, sum.seconds + share.seconds, sum.ranks + 1};
  }
  std::vector<StepShare> shares;
  for (const auto& [origin, share] : sums) shares.push_back(share);
  std::ranges::stable_sort(shares, std::ranges::greater{}, &StepShare::seconds);
  return shares;
}

Cells step_cells(const EvaluationReport& report, const StepShare& share) {
  const timing_graph::Origin& origin = report.program.origins[share.origin];
  return {origin.name, text_of(origin.place), fmt::format("{}", share.ranks), duration_text(share.seconds),
          percent_text(share.seconds / report.matched.makespan_s)};
}

std::string path_table(const EvaluationReport& report) {
  const std::vector<StepShare> shares = step_shares(report);
  if (shares.empty()) return "";
  const std::size_t shown = std::min(shares.size(), most_shares_shown);
  std::vector<Cells> rows{{"step", "place", "on ranks", "time", "share"}};
  for (std::size_t i = 0; i < shown; ++i) rows.push_back(step_cells(report, shares[i]));
  const std::string rest =
      shown == shares.size() ? "" : fmt::format("... and {} more\n", shares.size() - shown);
  return "\non the critical path\n" + table_text(rows, 2) + rest;
}

constexpr int prediction_schema = 1;

std::vector<std::string> all_notes(const reconstruction::Prediction& said) {
  std::vector<std::string> notes = said.guesses;
  notes.insert(notes.end(), said.notes.begin(), said.notes.end());
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

/// The answer in a sentence: the predicted time of one setting, or how well several fit the measured ones.
std::string answer_text(const PredictionReport& report) {
  std::string text = report.program;
  std::vector<double> errors;
  for (const PredictedPoint& point : report.points)
    if (point.measured_s) errors.push_back(std::abs(point.prediction.seconds / *point.measured_s - 1));
  if (report.points.size() == 1) {
    const PredictedPoint& point = report.points.front();
    const reconstruction::Prediction& said = point.prediction;
    for (const auto& [name, value] : point.setting)
      text += fmt::format("{}{} = {}", text.size() == report.program.size() ? " with " : ", ", name, value);
    text += " takes " + duration_text(said.seconds);
    if (said.interval)
      text += fmt::format(" (9 of 10 runs from {} to {})", duration_text(said.interval->low_s),
                          duration_text(said.interval->high_s));
  } else {
    const auto [least, most] = std::ranges::minmax(
        report.points, {}, [](const PredictedPoint& point) { return point.prediction.seconds; });
    text += fmt::format(": {} settings take from {} to {}", report.points.size(),
                        duration_text(least.prediction.seconds), duration_text(most.prediction.seconds));
  }
  if (!errors.empty())
    text += fmt::format("; off by {} from the measured times (median)", percent_text(median_of(errors)));
  return wrapped(fmt::format("{}; messages cost {}", text, report.costs), metrics_width, 2) + "\n";
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
  return "\n"
         "with every partial time at its mean, without waiting for ranks that are late by chance: " +
         evaluation_text(evaluated);
}

}  // namespace

std::string graph_text(const Graph& graph, const std::vector<timing_graph::Setting>& settings,
                       const MessageEdges& found) {
  std::string text = fmt::format("{}: {}\n", graph.name, parameters_text(graph, settings));
  for (const Process& process : graph.processes) {
    text += "\n" + ranks_text(process) + "\n";
    add_steps(text, process.steps, 2);
  }
  if (!found.trouble.empty())
    return text + "\n" + notes_text({"the messages are not known: " + found.trouble});
  return text + fmt::format("\n{}, {} of {} in all\n",
                            count_text(static_cast<Index>(found.ops), "step", "steps"),
                            count_text(static_cast<Index>(found.messages), "message", "messages"),
                            human_bytes(static_cast<Bytes>(found.bytes)));
}

std::string evaluation_json(const EvaluationReport& report) {
  ordered_json parameters = ordered_json::object();
  for (const timing_graph::Setting& setting : report.settings) parameters[setting.name] = setting.value;
  const ordered_json json{{"schema", evaluation_schema},
                          {"graph", report.name},
                          {"set", parameters},
                          {"costs", report.costs},
                          {"steps", report.program.ops.size()},
                          {"messages", report.matched.messages.size()},
                          {"makespan_s", report.matched.makespan_s},
                          {"t_exec_s", report.sum.t_exec_s},
                          {"ranks", ranks_json(report)},
                          {"critical_path", path_json(report)},
                          {"notes", report.matched.notes}};
  return file_text(json);
}

std::vector<PathShare> path_shares(const timing_graph::Evaluation& evaluation) {
  std::map<std::pair<std::int32_t, std::uint32_t>, double> sums_s;
  for (const timing_graph::PathPart& part : evaluation.critical_path)
    sums_s[{part.process, part.origin}] += part.end_s - part.begin_s;
  std::vector<PathShare> shares;
  for (const auto& [who, seconds] : sums_s) shares.push_back({who.first, who.second, seconds});
  std::ranges::stable_sort(shares, std::ranges::greater{}, &PathShare::seconds);
  return shares;
}

std::string evaluation_text(const EvaluationReport& report) {
  return title(report) + "\n\n" + makespans(report) + "\n" + ranks_table(report) + path_table(report) +
         notes_text(report.matched.notes);
}

std::string prediction_report_text(const PredictionReport& report) {
  std::vector<std::string> all = report.guesses;
  std::set<std::string> of_points;
  for (const PredictedPoint& point : report.points)
    of_points.insert(point.prediction.guesses.begin(), point.prediction.guesses.end());
  all.insert(all.end(), of_points.begin(), of_points.end());
  std::string cautions;
  for (const std::string& guess : all) cautions += wrapped("caution: " + guess, metrics_width, 9) + "\n";
  return answer_text(report) + cautions + "\n" + points_table(report) + times_table(report) +
         details(report) + notes_text(notes_of(report));
}

std::string prediction_report_json(const PredictionReport& report) {
  ordered_json points = ordered_json::array();
  for (const PredictedPoint& point : report.points) points.push_back(point_json(point));
  const ordered_json json{{"schema", prediction_schema},
                          {"program", report.program},
                          {"costs", report.costs},
                          {"points", points},
                          {"partial_times", times_json(report)},
                          {"guesses", report.guesses},
                          {"notes", report.notes}};
  return file_text(json);
}

}  // namespace loadshare::tool
