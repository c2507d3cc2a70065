#include "models/granularity/spread.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "schedulers/error.hpp"

namespace loadshare::granularity {
namespace {

std::vector<double> values_of(std::span<const Figures> runs, const FigureEntry& entry) {
  std::vector<double> values;
  for (Figures run : runs)
    if (const Figure& value = entry.in(run)) values.push_back(*value);
  return values;
}

void compare(const Figure& efficiency, const Figure& classical, Figure& difference, Figure& relative) {
  if (!difference || !efficiency || !classical) return;
  difference = *efficiency - *classical;
  relative = *efficiency / *classical - 1;
}

/// Of the efficiencies that stand beside them: a median of differences would be of other runs.
void compare_medians(Figures& median) {
  for (ClassicalFigures& kind : median.classical) {
    compare(median.efficiency, kind.efficiency, kind.difference, kind.relative_difference);
    compare(median.efficiency_h, kind.efficiency_h, kind.difference_h, kind.relative_difference_h);
  }
}

}  // namespace

double median_of(std::vector<double> values) {
  return quantile_of(std::move(values), 0.5);
}

double quantile_of(std::vector<double> values, double share) {
  if (values.empty()) throw UsageError("there are no runs", "a median takes at least one");
  std::ranges::sort(values);
  const double place = share * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return std::lerp(values[below], values[above], place - static_cast<double>(below));
}

Spread spread_of(std::span<const Figures> runs) {
  if (runs.empty()) throw UsageError("there are no runs", "their figures have no spread");
  Spread spread;
  for (const FigureEntry& entry : figure_table()) {
    const std::vector<double> values = values_of(runs, entry);
    if (values.size() != runs.size()) continue;
    entry.in(spread.median) = median_of(values);
    entry.in(spread.least) = std::ranges::min(values);
    entry.in(spread.most) = std::ranges::max(values);
  }
  compare_medians(spread.median);
  return spread;
}

}  // namespace loadshare::granularity
