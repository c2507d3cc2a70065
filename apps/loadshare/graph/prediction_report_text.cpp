#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "apps/loadshare/graph/evaluation_report.hpp"
#include "apps/loadshare/graph/prediction_report.hpp"
#include "apps/loadshare/metrics/wording.hpp"
#include "runtime/timing/wording.hpp"

namespace loadshare::tool {
namespace {

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
  cells.push_back(duration_text(said.seed_sum.t_exec_s));
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
                             point.prediction.mean, point.prediction.seed_sum};
  evaluated.matched.notes.clear();
  for (const auto& [name, value] : point.setting) evaluated.settings.push_back({name, value});
  return "\nevery partial time at its mean, so that nobody waits for who happens to be late: " +
         evaluation_text(evaluated);
}

}  // namespace

std::string prediction_report_text(const PredictionReport& report) {
  return fmt::format("{}; messages cost {}\n\n", report.program, report.costs) + points_table(report) +
         times_table(report) + details(report) + notes_text(notes_of(report));
}

}  // namespace loadshare::tool
