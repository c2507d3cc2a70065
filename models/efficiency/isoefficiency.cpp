#include "models/efficiency/isoefficiency.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "base/error.hpp"

namespace loadshare::granularity {
namespace {

struct Mean {
  double sum = 0;
  int count = 0;
  double value() const { return sum / count; }
};

/// The efficiency by problem size, ascending.
using Curve = std::map<double, Mean>;

double between(double low, double high, double share) {
  return std::exp(std::log(low) + share * (std::log(high) - std::log(low)));
}

std::optional<double> first_size_with(const Curve& curve, double wanted) {
  for (auto high = curve.begin(); high != curve.end(); ++high) {
    const double e_high = high->second.value();
    if (e_high == wanted) return high->first;
    if (high == curve.begin()) continue;
    const auto low = std::prev(high);
    const double e_low = low->second.value();
    if ((e_low - wanted) * (e_high - wanted) < 0)
      return between(low->first, high->first, (wanted - e_low) / (e_high - e_low));
  }
  return std::nullopt;
}

}  // namespace

double isoefficiency_factor(double efficiency) {
  if (!(efficiency > 0 && efficiency < 1))
    throw UsageError(fmt::format("the efficiency to keep is {}", efficiency),
                     "it must be more than 0 and less than 1", "give 0.8 for 80 %");
  return efficiency / (1 - efficiency);
}

std::vector<IsoefficiencyPoint> isoefficiency(std::span<const SizedRun> runs, double efficiency) {
  const double factor = isoefficiency_factor(efficiency);
  std::map<int, Curve> curves;
  for (const SizedRun& run : runs) {
    if (!(std::isfinite(run.problem_size_s) && run.problem_size_s > 0))
      throw UsageError(fmt::format("a problem size is {} s", run.problem_size_s), "it is a positive time");
    Mean& mean = curves[run.processors][run.problem_size_s];
    mean.sum += run.efficiency;
    ++mean.count;
  }
  std::vector<IsoefficiencyPoint> points;
  for (const auto& [processors, curve] : curves) {
    IsoefficiencyPoint& point = points.emplace_back();
    point.processors = processors;
    point.problem_size_s = first_size_with(curve, efficiency);
    if (point.problem_size_s) point.overhead_s = *point.problem_size_s / factor;
  }
  return points;
}

}  // namespace loadshare::granularity
