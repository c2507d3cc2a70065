#include "models/granularity/virtual_processors.hpp"

#include <fmt/format.h>

#include <cmath>

#include "schedulers/error.hpp"

namespace loadshare::granularity {
namespace {

void require_speed(double speed) {
  if (!(std::isfinite(speed) && speed > 0))
    throw UsageError(fmt::format("a speed is {}", speed), "speeds are positive numbers",
                     "give the speed of each rank, in any unit");
}

}  // namespace

double virtual_processors(std::span<const double> speeds, double reference_speed) {
  require_speed(reference_speed);
  double sum = 0;
  for (const double speed : speeds) {
    require_speed(speed);
    sum += speed;
  }
  return sum / reference_speed;
}

Heterogeneous heterogeneous(std::span<const RankTimes> ranks, double run_s, std::span<const double> speeds,
                            double reference_speed) {
  if (speeds.size() != ranks.size())
    throw UsageError(fmt::format("the speeds are {} and the ranks {}", speeds.size(), ranks.size()),
                     "each rank has one", "give as many as there are ranks");
  Heterogeneous figures;
  figures.virtual_processors = virtual_processors(speeds, reference_speed);
  for (std::size_t i = 0; i < speeds.size(); ++i)
    figures.sequential_s += ranks[i].computing_s * speeds[i] / reference_speed;
  figures.speedup = figures.sequential_s / run_s;
  figures.efficiency = figures.speedup / figures.virtual_processors;
  return figures;
}

}  // namespace loadshare::granularity
