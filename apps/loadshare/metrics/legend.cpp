#include "apps/loadshare/metrics/legend.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>

#include "apps/loadshare/metrics/wording.hpp"
#include "runtime/timing/wording.hpp"

namespace loadshare::tool {

std::string scaling_legend() {
  using Row = std::pair<std::string_view, std::string_view>;
  constexpr std::array rows{
      Row{"G",
          "granularity: time computing over time lost (communicating, idle, stolen), of all ranks together"},
      Row{"E, speedup", "G / (G + 1) and p E: by granularity, from the parallel run alone"},
      Row{"balance",
          "mean over largest T_comp: what it lacks of 100 % is waiting for the rank that computes longest"},
      Row{"comm.eff",
          "largest T_comp over T_p: what even that rank could not compute; run by run (not of medians) "
          "balance x comm.eff is E"},
      Row{"stolen", "of all ranks' time others had the processor; 'not stolen E' leaves that time out"},
      Row{"+/-", "points by which the efficiency by granularity is above the classical one"},
      Row{"extra",
          "what the ranks computed beyond T_seq, which makes E differ; below 0 where T_seq holds lost or "
          "stolen time"},
      Row{"VP, E_H",
          "virtual processors, sum of S_i / S_1, and the efficiency by them, for unequal processors"}};
  constexpr int indent = 12;
  std::string text;
  for (const auto& [name, meaning] : rows)
    text += wrapped(fmt::format("{:<{}}{}", name, indent, meaning), metrics_width, indent) + "\n";
  return text;
}

}  // namespace loadshare::tool
