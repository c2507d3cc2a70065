#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "apps/loadshare/compare/compare.hpp"
#include "apps/loadshare/compare/error_figures.hpp"

namespace loadshare::tool {
namespace {

using nlohmann::ordered_json;

constexpr int schema = 1;

ordered_json point_json(const ComparedPoint& point) {
  return {{"scheduler", point.scheduler},
          {"point", point.id},
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
  return {{"chosen", runs.chosen},
          {"measured_s", runs.measured_s},
          {"foretold_s", runs.foretold_s},
          {"regret", setting.auto_regret()}};
}

ordered_json setting_json(const ComparedSetting& setting) {
  ordered_json json{{"name", setting.name},
                    {"sweep", setting.sweep},
                    {"experiment", setting.experiment},
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
  return json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace loadshare::tool
