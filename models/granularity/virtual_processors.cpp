#include "models/granularity/virtual_processors.hpp"

#include <fmt/format.h>

#include <cmath>

#include "schedulers/error.hpp"

namespace loadshare::granularity {
namespace {

void require_speed(double speed) {
  if (!(std::isfinite(speed) && speed > 0))
    throw UsageError(fmt::format("a speed is {}", speed), "speeds are positive numbers",
                     "leave out nothing: one for each rank, in any unit");
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

std::optional<std::vector<double>> measured_speeds(const RunTimes& run) {
  std::vector<double> speeds;
  for (const RankTimes& rank : run.ranks) {
    if (!rank.work || *rank.work <= 0 || rank.computing_s <= 0) return std::nullopt;
    speeds.push_back(*rank.work / rank.computing_s);
  }
  return speeds;
}

Heterogeneous heterogeneous(const RunTimes& run, std::span<const double> speeds, double reference_speed) {
  if (speeds.size() != run.ranks.size())
    throw UsageError(fmt::format("there are {} speeds for {} ranks", speeds.size(), run.ranks.size()),
                     "each rank has one");
  Heterogeneous figures;
  figures.virtual_processors = virtual_processors(speeds, reference_speed);
  for (std::size_t i = 0; i < speeds.size(); ++i)
    figures.sequential_s += run.ranks[i].computing_s * speeds[i] / reference_speed;
  figures.speedup = figures.sequential_s / run.run_s;
  figures.efficiency = figures.speedup / figures.virtual_processors;
  return figures;
}

}  // namespace loadshare::granularity
