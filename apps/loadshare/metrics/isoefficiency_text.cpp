#include "apps/loadshare/metrics/isoefficiency_text.hpp"

#include <fmt/format.h>

#include "apps/loadshare/metrics/wording.hpp"
#include "runtime/timing/wording.hpp"

namespace loadshare::tool {

using granularity::Figure;

std::string isoefficiency_text(const Study& study, double kept_efficiency) {
  std::vector<std::vector<std::string>> rows{{"p", "W", "W / p", "T_o"}};
  bool is_partial = false;
  for (const granularity::IsoefficiencyPoint& point : study.isoefficiency) {
    const auto text = [](const Figure& seconds) { return seconds ? duration_text(*seconds) : "-"; };
    const Figure each = point.problem_size_s ? Figure(*point.problem_size_s / point.processors) : Figure();
    is_partial = is_partial || !point.problem_size_s;
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
