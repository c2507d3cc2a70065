#include "apps/loadshare/metrics/scaling_text.hpp"

#include <fmt/format.h>

#include <algorithm>

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

std::string points_cell(const Figure& difference) {
  return difference ? fmt::format("{:+.1f}", *difference * 100) : "-";
}

Cells classical_cells(const Point& point, std::size_t kind) {
  const Figures& median = point.spread.median;
  const ClassicalFigures& classical = median.classical[kind];
  return {fmt::format("{}", point.processors()),   number_text(median.speedup),
          number_text(classical.speedup),          percent_cell(median.efficiency),
          percent_cell(classical.efficiency),      points_cell(classical.difference),
          percent_cell(classical.extra_computing), number_text(median.virtual_processors),
          percent_cell(median.efficiency_h),       percent_cell(classical.efficiency_h),
          points_cell(classical.difference_h)};
}

std::string classical_table(const SettingStudy& setting, std::size_t kind) {
  if (!setting.points.front().spread.median.classical[kind].sequential_s) return "";
  const std::string name = granularity::classical_kinds[kind];
  std::vector<Cells> rows{
      {"p", "speedup by G", name, "E% by G", name + "%", "+/-", "extra%", "VP", "E_H%", name + "_H%", "+/-"}};
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

/// Of each number of ranks its own notes, then those of the setting.
std::vector<std::string> all_notes(const SettingStudy& setting) {
  std::vector<std::string> notes;
  for (const Point& point : setting.points)
    for (const std::string& note : point.notes)
      notes.push_back(fmt::format("p = {}: {}", point.processors(), note));
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
  const std::string notes = notes_text(all_notes(setting));
  return notes.empty() ? text : text + notes + "\n";
}

}  // namespace loadshare::tool
