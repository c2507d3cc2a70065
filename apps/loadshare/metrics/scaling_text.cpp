#include "apps/loadshare/metrics/scaling_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "apps/loadshare/metrics/wording.hpp"
#include "runtime/timing/wording.hpp"

namespace loadshare::tool {
namespace {

using granularity::ClassicalFigures;
using granularity::Figure;
using granularity::Figures;
using Cells = std::vector<std::string>;

std::string range_cell(const Point& point, Figure Figures::*share) {
  if (point.runs.size() == 1) return "";
  return fmt::format("{}-{}", percent_cell(point.spread.least.*share),
                     percent_cell(point.spread.most.*share));
}

Cells granularity_cells(const Point& point) {
  const Figures& median = point.spread.median;
  return {fmt::format("{}", point.processors()),
          fmt::format("{}", point.runs.size()),
          duration_text(*median.run_s),
          number_text(median.granularity),
          percent_cell(median.efficiency),
          range_cell(point, &Figures::efficiency),
          number_text(median.speedup),
          percent_cell(median.load_balance),
          percent_cell(median.communication_efficiency),
          percent_cell(median.stolen),
          percent_cell(median.efficiency_without_stolen)};
}

std::string granularity_table(const SettingStudy& setting) {
  std::vector<Cells> rows{{"p", "runs", "T_p", "G", "E%", "range", "speedup", "balance%", "comm.eff%",
                           "stolen%", "not stolen E%"}};
  for (const Point& point : setting.points) rows.push_back(granularity_cells(point));
  return table_text(rows);
}

Cells classical_cells(const Point& point, std::size_t kind) {
  const Figures& median = point.spread.median;
  const ClassicalFigures& classical = median.classical[kind];
  return {fmt::format("{}", point.processors()),   number_text(median.speedup),
          number_text(classical.speedup),          percent_cell(median.efficiency),
          percent_cell(classical.efficiency),      fmt::format("{:+.1f}", *classical.difference * 100),
          percent_cell(classical.extra_computing), number_text(median.virtual_processors),
          percent_cell(median.efficiency_h),       percent_cell(classical.efficiency_h)};
}

std::string classical_table(const SettingStudy& setting, std::size_t kind) {
  if (!setting.points.front().spread.median.classical[kind].sequential_s) return "";
  const std::string name = granularity::classical_kinds[kind];
  std::vector<Cells> rows{
      {"p", "speedup", name, "E%", name + "%", "E minus it", "extra%", "VP", "E_H%", name + "_H%"}};
  for (const Point& point : setting.points) rows.push_back(classical_cells(point, kind));
  const double sequential_s = *setting.points.front().spread.median.classical[kind].sequential_s;
  const std::string source = kind == 2 ? setting.sequential_source : "given";
  return wrapped(fmt::format("Beside the {} efficiency, T_seq = {} ({}):", name, duration_text(sequential_s),
                             source),
                 metrics_width, 2) +
         "\n\n" + table_text(rows) + "\n";
}

/// Without a sequential time the unequal processors have a table of their own.
std::string virtual_table(const SettingStudy& setting) {
  const auto is_known = [](const Point& point) { return point.spread.median.virtual_processors.has_value(); };
  const auto has_sequential = [](const ClassicalFigures& figures) {
    return figures.sequential_s.has_value();
  };
  if (std::ranges::any_of(setting.points.front().spread.median.classical, has_sequential)) return "";
  if (std::ranges::none_of(setting.points, is_known)) return "";
  std::vector<Cells> rows{{"p", "VP", "speedup_H", "E_H%"}};
  for (const Point& point : setting.points) {
    const Figures& median = point.spread.median;
    rows.push_back({fmt::format("{}", point.processors()), number_text(median.virtual_processors),
                    number_text(median.speedup_h), percent_cell(median.efficiency_h)});
  }
  return "As virtual processors, by the ranks' speeds:\n\n" + table_text(rows) + "\n";
}

std::vector<std::string> all_notes(const SettingStudy& setting) {
  std::vector<std::string> notes;
  std::set<std::string> told;
  for (const Point& point : setting.points)
    for (const std::string& note : point.notes) {
      const std::string of_point = fmt::format("p = {}: {}", point.processors(), note);
      if (told.insert(of_point).second) notes.push_back(of_point);
    }
  notes.insert(notes.end(), setting.notes.begin(), setting.notes.end());
  return notes;
}

}  // namespace

std::string scaling_text(const SettingStudy& setting, const Study& study) {
  std::string text = wrapped(setting_text(setting.setting, study.settings), metrics_width, 2) + "\n\n";
  text += granularity_table(setting) + "\n";
  for (std::size_t kind = 0; kind < granularity::classical_kinds.size(); ++kind)
    text += classical_table(setting, kind);
  text += virtual_table(setting);
  return text + notes_text(all_notes(setting));
}

std::string isoefficiency_text(const Study& study, double kept_efficiency) {
  if (study.isoefficiency.empty()) return "";
  std::vector<Cells> rows{{"p", "W", "W / p", "T_o"}};
  bool is_partial = false;
  for (const granularity::IsoefficiencyPoint& point : study.isoefficiency) {
    const auto text = [](const Figure& seconds) { return seconds ? duration_text(*seconds) : "-"; };
    const Figure each = point.problem_size_s ? Figure(*point.problem_size_s / point.processors) : Figure();
    is_partial = is_partial || !point.problem_size_s;
    rows.push_back({fmt::format("{}", point.processors), text(point.problem_size_s), text(each),
                    text(point.overhead_s)});
  }
  const std::string title = fmt::format(
      "Isoefficiency: the problem size W (sequential time) that keeps E at {}; K = E / (1 - E) = G = {}:",
      percent_text(kept_efficiency), number_text(granularity::isoefficiency_factor(kept_efficiency)));
  std::vector<std::string> notes;
  if (is_partial) notes.emplace_back("-: no two of the sizes measured have that efficiency between them");
  return wrapped(title, metrics_width, 2) + "\n\n" + table_text(rows) + notes_text(notes);
}

}  // namespace loadshare::tool
