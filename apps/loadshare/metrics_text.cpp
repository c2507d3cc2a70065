#include "apps/loadshare/metrics_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "apps/loadshare/output.hpp"
#include "base/io/text.hpp"

namespace loadshare::tool {
namespace {

using granularity::ClassicalFigures;
using granularity::Figure;
using granularity::Figures;
using Cells = std::vector<std::string>;

/// One sentence on each column of the scaling tables.
std::string scaling_legend() {
  using Row = std::pair<std::string_view, std::string_view>;
  constexpr std::array rows{
      Row{"G",
          "granularity: time computing over time lost (communicating, idle, stolen), of all ranks together"},
      Row{"E, speedup", "G / (G + 1) and p E: by granularity, from the parallel run alone"},
      Row{"balance", "mean over largest T_comp: the rest is waiting for the rank that computes longest"},
      Row{"comm.eff",
          "largest T_comp over T_p: in the rest, even that rank did not compute; in each run (not of "
          "medians) balance x comm.eff is E"},
      Row{"stolen",
          "share of all ranks' time in which other programs had the processor; 'not stolen E' leaves it out"},
      Row{"+/-", "points by which the efficiency by granularity is above the classical one"},
      Row{"extra",
          "what the ranks computed beyond T_seq, which makes E differ; below 0 if T_seq includes lost or "
          "stolen time"},
      Row{"VP, E_H",
          "virtual processors, sum of S_i / S_1, and the efficiency by them, for unequal processors"}};
  constexpr int indent = 12;
  std::string text;
  for (const auto& [name, meaning] : rows)
    text += wrapped(fmt::format("{:<{}}{}", name, indent, meaning), metrics_width, indent) + "\n";
  return text;
}

bool has_size(const granularity::IsoefficiencyPoint& point) {
  return point.problem_size_s.has_value();
}

/// "from 41.2 % to 63.0 %" over everything measured.
std::string efficiencies_text(const Study& study) {
  std::vector<double> efficiencies;
  for (const SettingStudy& setting : study.settings)
    for (const Point& point : setting.points) efficiencies.push_back(*point.spread.median.efficiency);
  const auto [least, most] = std::ranges::minmax(efficiencies);
  return fmt::format("from {} to {}", percent_text(least), percent_text(most));
}

std::string no_size_text(const Study& study, double kept_efficiency) {
  return wrapped(fmt::format("Isoefficiency: no measured problem size keeps E at {}, nor are two of them "
                             "above and below it on the same number of ranks (E was {})",
                             percent_text(kept_efficiency), efficiencies_text(study)),
                 metrics_width, 2) +
         "\n\n";
}

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
  return wrapped(fmt::format("Compared with the {} efficiency, T_seq = {} ({}):", name,
                             duration_text(sequential_s), source),
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

/// What a person reads of one setting over several numbers of ranks, in lines of at most 100 characters: the
/// figures by granularity, and beside them the classical ones where a sequential time is known. Ends with an
/// empty line.
std::string scaling_text(const SettingStudy& setting, const Study& study) {
  std::string text = wrapped(setting_text(setting.setting, study.settings), metrics_width, 2) + "\n\n";
  text += granularity_table(setting) + "\n";
  for (std::size_t kind = 0; kind < granularity::classical_kinds.size(); ++kind)
    text += classical_table(setting, kind);
  return text + virtual_table(setting);
}

std::string option_text(const OptionValue& value) {
  return std::visit([](const auto& scalar) { return fmt::format("{}", scalar); }, value);
}

bool differs(const std::string& name, const OptionValue& value, const std::vector<SettingStudy>& all) {
  return std::ranges::any_of(all, [&](const SettingStudy& other) {
    const auto found = other.setting.options.find(name);
    return found == other.setting.options.end() || found->second != value;
  });
}

}  // namespace

std::string number_text(const granularity::Figure& figure) {
  if (!figure) return "-";
  if (std::isinf(*figure)) return "infinite";
  const double size = std::abs(*figure);
  if (size < 9.995) return fmt::format("{:.2f}", *figure);
  if (size < 99.95) return fmt::format("{:.1f}", *figure);
  if (size < 999'999.5) return fmt::format("{:.0f}", *figure);
  return fmt::format("{:.2e}", *figure);
}

std::string percent_cell(const granularity::Figure& share) {
  return share ? fmt::format("{:.1f}", *share * 100) : "-";
}

std::string setting_text(const Setting& setting, const std::vector<SettingStudy>& all) {
  std::string text = setting.program;
  const char* separator = ": ";
  for (const auto& [name, value] : setting.options) {
    const bool is_always_told = name == "scheduler" || name == "iterations" || name == "load";
    if (!is_always_told && !differs(name, value, all)) continue;
    text += fmt::format("{}{} {}", separator, name, option_text(value));
    separator = ", ";
  }
  return text;
}

std::string details_text(const Study& study) {
  if (const Point* point = study.only_point()) return point_text(*point, study.settings.front());
  std::string text;
  for (const SettingStudy& setting : study.settings) text += scaling_text(setting, study);
  return text + scaling_legend();
}

std::string isoefficiency_text(const Study& study, double kept_efficiency) {
  if (std::ranges::none_of(study.isoefficiency, has_size)) return no_size_text(study, kept_efficiency);
  std::vector<std::vector<std::string>> rows{{"p", "W", "W / p", "T_o"}};
  bool is_partial = false;
  for (const granularity::IsoefficiencyPoint& point : study.isoefficiency) {
    const auto text = [](const Figure& seconds) { return seconds ? duration_text(*seconds) : "-"; };
    Figure each;
    if (point.problem_size_s) each = *point.problem_size_s / point.processors;
    is_partial = is_partial || !has_size(point);
    rows.push_back({fmt::format("{}", point.processors), text(point.problem_size_s), text(each),
                    text(point.overhead_s)});
  }
  const std::string title = fmt::format(
      "Isoefficiency: the problem size W (T_comp of the fewest ranks) that keeps E at {}; K = E / (1 - E) = "
      "G = {}:",
      percent_text(kept_efficiency), number_text(granularity::isoefficiency_factor(kept_efficiency)));
  std::vector<std::string> notes;
  if (is_partial)
    notes.emplace_back("a row without W has no two measured sizes above and below that efficiency");
  return wrapped(title, metrics_width, 2) + "\n\n" + table_text(rows) + notes_text(notes) + "\n";
}

std::vector<std::string> all_notes(const Study& study) {
  std::vector<std::string> notes;
  for (const SettingStudy& setting : study.settings) {
    for (const Point& point : setting.points)
      for (const std::string& note : point.notes)
        notes.push_back(study.only_point() != nullptr ? note
                                                      : fmt::format("p = {}: {}", point.processors(), note));
    notes.insert(notes.end(), setting.notes.begin(), setting.notes.end());
  }
  notes.insert(notes.end(), study.notes.begin(), study.notes.end());
  return notes;
}

}  // namespace loadshare::tool
