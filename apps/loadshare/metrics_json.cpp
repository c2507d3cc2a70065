#include "apps/loadshare/metrics_json.hpp"

#include <cmath>
#include <limits>

#include "apps/loadshare/metrics_text.hpp"

namespace loadshare::tool {
namespace {

using granularity::Figure;
using granularity::FigureEntry;
using granularity::Figures;
using nlohmann::ordered_json;

/// Keys of figures that may be infinite, which JSON has no number for.
bool may_be_infinite(const std::string& key) {
  return key == "G" || key.starts_with("G_");
}

/// "E", "E_H", "E_relative", "E_H_relative" and so on, not their differences.
bool is_efficiency(const std::string& key) {
  const bool is_difference = key.find("_minus_") != key.npos || key.find("_over_") != key.npos;
  return (key == "E" || key.starts_with("E_")) && !is_difference;
}

ordered_json figure_json(const Figure& figure) {
  if (!figure || !std::isfinite(*figure)) return nullptr;
  return *figure;
}

/// "infinite" beside a figure that is null for that.
ordered_json word_json(const Figure& figure) {
  return figure && std::isinf(*figure) ? ordered_json("infinite") : ordered_json(nullptr);
}

void add_figures(ordered_json& json, Figures figures) {
  for (const FigureEntry& entry : granularity::figure_table()) {
    const Figure& figure = entry.in(figures);
    json[entry.key] =
        entry.key == "processors" ? ordered_json(static_cast<int>(*figure)) : figure_json(figure);
    if (may_be_infinite(entry.key)) json[entry.key + "_word"] = word_json(figure);
  }
}

ordered_json range_json(granularity::Spread spread) {
  ordered_json json;
  for (const FigureEntry& entry : granularity::figure_table()) {
    const Figure& least = entry.in(spread.least);
    const Figure& most = entry.in(spread.most);
    if (!least) continue;
    json[entry.key] = {figure_json(least), figure_json(most)};
    if (may_be_infinite(entry.key)) json[entry.key + "_word"] = {word_json(least), word_json(most)};
  }
  return json;
}

/// What a test on the runs' efficiencies takes; of figures that all runs tell.
ordered_json efficiencies_by_run_json(const Point& point) {
  ordered_json json = ordered_json::object();
  for (const FigureEntry& entry : granularity::figure_table()) {
    Figures median = point.spread.median;
    if (!is_efficiency(entry.key) || !entry.in(median)) continue;
    for (Figures run : point.by_run) json[entry.key].push_back(figure_json(entry.in(run)));
  }
  return json;
}

ordered_json ranks_json(const Point& point) {
  ordered_json ranks = ordered_json::array();
  for (std::size_t i = 0; i < point.ranks.size(); ++i) {
    ordered_json json;
    json["rank"] = point.runs.front().times.ranks[i].rank;
    json["host"] = point.runs.front().times.ranks[i].host;
    add_figures(json, point.ranks[i]);
    json["speed"] = figure_json(point.speeds[i]);
    ranks.push_back(json);
  }
  return ranks;
}

void add_setting(ordered_json& json, const Setting& setting) {
  json["program"] = setting.program;
  json["options"] = ordered_json::object();
  for (const auto& [name, value] : setting.options)
    std::visit([&](const auto& scalar) { json["options"][name] = scalar; }, value);
}

void add_point(ordered_json& json, const Point& point) {
  add_figures(json, point.spread.median);
  json["computation_scaling"] = figure_json(point.computation_scaling);
  json["global_efficiency"] = figure_json(point.global_efficiency);
  const Cause cause = cause_of(point);
  json["cause"] = {{"factor", cause.factor.empty() ? ordered_json(nullptr) : ordered_json(cause.factor)},
                   {"text", cause.text}};
  json["whole"] = nullptr;
  if (point.whole) add_figures(json["whole"] = ordered_json::object(), *point.whole);
  json["tells_idle"] = point.runs.front().times.tells_idle;
  json["partial"] =
      std::ranges::any_of(point.runs, [](const SourcedRun& run) { return !run.times.notes.empty(); });
  json["runs"] = point.runs.size();
  json["range"] = point.runs.size() > 1 ? range_json(point.spread) : ordered_json(nullptr);
  json["by_run"] = efficiencies_by_run_json(point);
  json["sources"] = ordered_json::array();
  for (const SourcedRun& run : point.runs) json["sources"].push_back(run.place);
  json["notes"] = point.notes;
  json["losses"] = losses_json(point);
  json["ranks"] = ranks_json(point);
}

void add_sequential_source(ordered_json& json, const std::string& source) {
  json["sequential_source"] = source.empty() ? ordered_json(nullptr) : ordered_json(source);
}

/// By which speeds the processors of the setting are compared; and whether that is what compares them.
void add_speeds(ordered_json& json, const SpeedBasis& speeds) {
  json["speeds_from"] =
      speeds.source ? ordered_json(granularity::name_of(*speeds.source)) : ordered_json(nullptr);
  json["is_unequal"] = speeds.is_unequal;
}

ordered_json setting_json(const SettingStudy& study) {
  ordered_json json;
  add_setting(json, study.setting);
  add_speeds(json, study.speeds);
  add_sequential_source(json, study.sequential_source);
  json["notes"] = study.notes;
  json["points"] = ordered_json::array();
  for (const Point& point : study.points) add_point(json["points"].emplace_back(), point);
  return json;
}

ordered_json isoefficiency_json(const Study& study) {
  if (study.isoefficiency.empty()) return nullptr;
  ordered_json points = ordered_json::array();
  for (const granularity::IsoefficiencyPoint& point : study.isoefficiency)
    points.push_back({{"processors", point.processors},
                      {"problem_size_s", figure_json(point.problem_size_s)},
                      {"overhead_s", figure_json(point.overhead_s)}});
  return points;
}

}  // namespace

ordered_json study_json(const granularity::Study& study) {
  ordered_json json;
  json["schema"] = metrics_schema;
  if (const Point* point = study.only_point()) {
    add_setting(json, study.settings.front().setting);
    add_speeds(json, study.settings.front().speeds);
    add_sequential_source(json, study.settings.front().sequential_source);
    add_point(json, *point);
    for (const std::string& note : study.settings.front().notes) json["notes"].push_back(note);
  } else {
    json["settings"] = ordered_json::array();
    for (const SettingStudy& setting : study.settings) json["settings"].push_back(setting_json(setting));
    json["isoefficiency"] = isoefficiency_json(study);
    json["notes"] = ordered_json::array();
  }
  for (const std::string& note : study.notes) json["notes"].push_back(note);
  return json;
}

}  // namespace loadshare::tool
