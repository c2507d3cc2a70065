#include "apps/loadshare/comparison_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "apps/loadshare/output.hpp"
#include "base/io/files.hpp"
#include "base/io/text.hpp"
#include "base/statistics.hpp"

namespace loadshare::tool {
namespace {

using nlohmann::ordered_json;
using predictor::AutoRuns, predictor::ComparedPoint, predictor::ComparedSetting, predictor::Coverage,
    predictor::ErrorFigures;
using Cells = std::vector<std::string>;

constexpr int schema = 1;

ordered_json text_or_null(const std::string& text) {
  return text.empty() ? ordered_json(nullptr) : ordered_json(text);
}

ordered_json point_json(const ComparedPoint& point) {
  return {{"scheduler", point.scheduler},
          {"point", text_or_null(point.id)},
          {"measured_s", point.measured_s},
          {"predicted_s", point.predicted_s},
          {"measured_median_s", point.measured_median_s},
          {"predicted_median_s", point.predicted_median_s},
          {"low_s", point.low_s},
          {"high_s", point.high_s},
          {"error", point.error()}};
}

ordered_json auto_json(const ComparedSetting& setting) {
  const AutoRuns& runs = setting.automatic;
  if (runs.chosen.empty()) return nullptr;
  ordered_json chosen = ordered_json::array();
  for (const std::string& scheduler : runs.chosen) chosen.push_back(text_or_null(scheduler));
  return {{"chosen", chosen},
          {"measured_s", runs.measured_s},
          {"foretold_s", runs.forecast_s},
          {"regret", setting.auto_regret()}};
}

ordered_json setting_json(const ComparedSetting& setting) {
  ordered_json json{{"name", setting.name},
                    {"sweep", text_or_null(setting.sweep)},
                    {"experiment", text_or_null(setting.experiment)},
                    {"has_load", setting.has_load}};
  json["points"] = ordered_json::array();
  for (const ComparedPoint& point : setting.points) json["points"].push_back(point_json(point));
  json["auto"] = auto_json(setting);
  json["chosen"] = setting.points[setting.chosen()].scheduler;
  json["best"] = setting.points[setting.best_measured()].scheduler;
  json["regret"] = setting.regret();
  json["order"] = setting.order();
  return json;
}

ordered_json figures_json(const ErrorFigures& figures) {
  if (figures.points == 0) return nullptr;
  return {{"points", figures.points},
          {"first_decile", figures.first_decile},
          {"signed_median", figures.signed_median},
          {"last_decile", figures.last_decile},
          {"median", figures.median},
          {"ninth_decile", figures.ninth_decile},
          {"worst", figures.worst}};
}

std::string signed_percent(double share) {
  return fmt::format("{:+.1f}", 100 * share);
}

std::string setting_table(const ComparedSetting& setting) {
  std::vector<Cells> rows{{"scheduler", "runs", "measured", "predicted", "error%", "9 of 10 from", "to"}};
  for (const ComparedPoint& point : setting.points)
    rows.push_back({point.scheduler, fmt::format("{}", point.runs.size()),
                    duration_text(point.measured_median_s), duration_text(point.predicted_median_s),
                    signed_percent(point.error()), duration_text(point.low_s), duration_text(point.high_s)});
  return table_text(rows, 1);
}

std::string choice_line(const ComparedSetting& setting) {
  if (setting.points.size() < 2) return "";
  const std::string text = fmt::format(
      "best: {} as predicted, {} as measured; the prediction's choice takes {:.1f} % longer; {:.0f} % of the "
      "pairs are in order",
      setting.points[setting.chosen()].scheduler, setting.points[setting.best_measured()].scheduler,
      100 * setting.regret(), 100 * setting.order());
  return wrapped(text, metrics_width, 2) + "\n";
}

/// "gss:9 (3 of 5), send:3 (2 of 5)".
std::string chosen_text(const AutoRuns& runs) {
  std::map<std::string, Index> counts;
  for (const std::string& chosen : runs.chosen) ++counts[chosen.empty() ? "no scheduler in time" : chosen];
  std::vector<std::pair<std::string, Index>> ordered(counts.begin(), counts.end());
  std::ranges::stable_sort(ordered, std::greater<>(), &std::pair<std::string, Index>::second);
  std::string text;
  for (const auto& [scheduler, count] : ordered)
    text += fmt::format("{}{} ({} of {})", text.empty() ? "" : ", ", scheduler, count, runs.chosen.size());
  return text;
}

std::string auto_lines(const ComparedSetting& setting) {
  const AutoRuns& runs = setting.automatic;
  if (runs.chosen.empty()) return "";
  const std::string text =
      fmt::format("auto took {}, {:.1f} % longer than the measured best; it chose {}",
                  duration_text(median_of(runs.measured_s)), 100 * setting.auto_regret(), chosen_text(runs));
  return wrapped(text, metrics_width, 2) + "\n";
}

Cells figures_row(const std::string& what, const ErrorFigures& figures) {
  return {what,
          fmt::format("{}", figures.points),
          signed_percent(figures.first_decile),
          signed_percent(figures.signed_median),
          signed_percent(figures.last_decile),
          fmt::format("{:.1f}", 100 * figures.median),
          fmt::format("{:.1f}", 100 * figures.ninth_decile),
          signed_percent(figures.worst)};
}

std::string figures_table(const Comparison& comparison) {
  std::vector<Cells> rows{
      {"error%", "of", "1st decile", "median", "9th decile", "|median|", "|9th decile|", "worst"}};
  const auto add = [&](const std::string& what, const ErrorFigures& figures) {
    if (figures.points > 0) rows.push_back(figures_row(what, figures));
  };
  add("makespan without a load", makespan_errors(comparison.settings, false));
  add("makespan under a load", makespan_errors(comparison.settings, true));
  add("makespan predicted by auto", auto_errors(comparison.settings));
  add("end predicted during the run", comparison.etas);
  add("regret of the choice", regrets(comparison.settings));
  add("regret of auto", auto_regrets(comparison.settings));
  return table_text(rows, 1);
}

/// The answer in a sentence: how far off predictions are, and what choosing by them costs.
std::string answer_text(const Comparison& comparison) {
  std::vector<std::string> texts;
  for (const bool is_loaded : {false, true})
    if (const ErrorFigures errors = makespan_errors(comparison.settings, is_loaded); errors.points > 0)
      texts.push_back(fmt::format("makespans {} a load are off by {:.1f} % (median)",
                                  is_loaded ? "under" : "without", 100 * errors.median));
  if (const ErrorFigures all = regrets(comparison.settings); all.points > 0)
    texts.push_back(fmt::format(
        "the scheduler chosen by prediction takes {:.1f} % longer than the measured best", 100 * all.median));
  return fmt::format("{}: {}", comparison.program, fmt::join(texts, "; "));
}

std::string coverage_line(const Comparison& comparison) {
  const Coverage all = coverage(comparison.settings);
  if (all.runs == 0) return "";
  return fmt::format("{} of {} runs are within their predicted intervals ({:.0f} %; 90 % are expected)\n",
                     all.covered, all.runs,
                     100.0 * static_cast<double>(all.covered) / static_cast<double>(all.runs));
}

std::string waiting_text(const Comparison& comparison) {
  return "the cost of an iteration consists " + cost_kind_text(comparison.waiting_share);
}

}  // namespace

std::string comparison_json(const Comparison& comparison) {
  ordered_json json{
      {"schema", schema}, {"program", comparison.program}, {"at_run_speed", comparison.is_at_run_speed}};
  json["messages"] = fmt::format("{}", fmt::join(comparison.networks, "; "));
  json["without_load"] = figures_json(makespan_errors(comparison.settings, false));
  json["with_load"] = figures_json(makespan_errors(comparison.settings, true));
  json["regret"] = figures_json(regrets(comparison.settings));
  json["auto_regret"] = figures_json(auto_regrets(comparison.settings));
  json["auto_foretold"] = figures_json(auto_errors(comparison.settings));
  json["etas"] = figures_json(comparison.etas);
  const Coverage covered = coverage(comparison.settings);
  json["coverage"] = {{"covered", covered.covered}, {"runs", covered.runs}};
  json["settings"] = ordered_json::array();
  for (const ComparedSetting& setting : comparison.settings)
    json["settings"].push_back(setting_json(setting));
  json["notes"] = comparison.notes;
  if (!comparison.disturbance.empty()) json["notes"].push_back(comparison.disturbance);
  if (comparison.waiting_share > 0) json["notes"].push_back(waiting_text(comparison));
  return file_text(json, 2);
}

std::string comparison_text(const Comparison& comparison) {
  std::string text = wrapped(answer_text(comparison), metrics_width, 2) + "\n\n";
  text += wrapped(fmt::format("{}: predicted and measured times{}; messages: {}", comparison.program,
                              comparison.is_at_run_speed ? ", each run at its own speed" : "",
                              fmt::join(comparison.networks, "; ")),
                  metrics_width, 2) +
          "\n";
  if (!comparison.disturbance.empty()) text += wrapped(comparison.disturbance, metrics_width, 2) + "\n";
  if (comparison.waiting_share > 0) text += wrapped(waiting_text(comparison), metrics_width, 2) + "\n";
  for (const ComparedSetting& setting : comparison.settings)
    text += "\n" + wrapped(setting.name, metrics_width, 2) + "\n" + setting_table(setting) +
            choice_line(setting) + auto_lines(setting);
  text += "\n" + figures_table(comparison) + coverage_line(comparison);
  for (const std::string& note : comparison.notes) text += wrapped("note: " + note, metrics_width, 6) + "\n";
  return text;
}

}  // namespace loadshare::tool
