#include "apps/loadshare/metrics/isoefficiency_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "apps/loadshare/metrics/wording.hpp"
#include "runtime/timing/wording.hpp"

namespace loadshare::tool {

using granularity::Figure;

namespace {

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
  return wrapped(
             fmt::format("Isoefficiency: no problem size keeps E at {}: on no number of ranks have two of "
                         "the sizes measured that efficiency between them (E was {})",
                         percent_text(kept_efficiency), efficiencies_text(study)),
             metrics_width, 2) +
         "\n\n";
}

}  // namespace

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
    notes.emplace_back("where no W stands, no two of the sizes measured have that efficiency between them");
  return wrapped(title, metrics_width, 2) + "\n\n" + table_text(rows) + notes_text(notes) + "\n";
}

}  // namespace loadshare::tool
