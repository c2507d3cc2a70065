#include <fmt/format.h>

#include "apps/loadshare/compare/compare.hpp"
#include "apps/loadshare/compare/error_figures.hpp"
#include "apps/loadshare/metrics/wording.hpp"
#include "runtime/timing/wording.hpp"

namespace loadshare::tool {
namespace {

using Cells = std::vector<std::string>;

constexpr int columns_wide = 100;

std::string signed_percent(double share) {
  return fmt::format("{:+.1f}", 100 * share);
}

std::string setting_table(const ComparedSetting& setting) {
  std::vector<Cells> rows{{"scheduler", "runs", "measured", "predicted", "error%"}};
  for (const ComparedPoint& point : setting.points)
    rows.push_back({point.scheduler, fmt::format("{}", point.runs.size()),
                    duration_text(point.measured_median_s), duration_text(point.predicted_median_s),
                    signed_percent(point.error())});
  return table_text(rows, 1);
}

std::string choice_line(const ComparedSetting& setting) {
  if (setting.points.size() < 2) return "";
  return fmt::format("chosen: {}, best: {}, regret {:.1f} %; {:.0f} % of the pairs in order\n",
                     setting.points[setting.chosen()].scheduler,
                     setting.points[setting.best_measured()].scheduler, 100 * setting.regret(),
                     100 * setting.order());
}

Cells figures_row(const std::string& what, const ErrorFigures& figures) {
  return {what,
          fmt::format("{}", figures.points),
          signed_percent(figures.bias),
          fmt::format("{:.1f}", 100 * figures.median),
          fmt::format("{:.1f}", 100 * figures.ninth_decile),
          fmt::format("{:.1f}", 100 * figures.worst)};
}

std::string figures_table(const Comparison& comparison) {
  std::vector<Cells> rows{{"", "points", "median, signed%", "median%", "ninth decile%", "worst%"}};
  for (const bool has_load : {false, true})
    if (const ErrorFigures figures = makespan_errors(comparison.settings, has_load); figures.points > 0)
      rows.push_back(figures_row(has_load ? "makespan beside a load" : "makespan without a load", figures));
  if (const ErrorFigures figures = regrets(comparison.settings); figures.points > 0)
    rows.push_back(figures_row("regret of the choice", figures));
  return table_text(rows, 1);
}

}  // namespace

std::string comparison_text(const Comparison& comparison) {
  std::string text = fmt::format("{}: predicted beside measured; messages: {}\n", comparison.program,
                                 comparison.network_text);
  for (const ComparedSetting& setting : comparison.settings)
    text +=
        "\n" + wrapped(setting.name, columns_wide, 2) + "\n" + setting_table(setting) + choice_line(setting);
  text += "\n" + figures_table(comparison);
  for (const std::string& note : comparison.notes) text += wrapped("note: " + note, columns_wide, 6) + "\n";
  return text;
}

}  // namespace loadshare::tool
