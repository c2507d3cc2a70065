#include "models/efficiency/speedups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"

namespace loadshare::granularity {
namespace {

double efficiency_of(const RunTimes& run) {
  const Totals sum = totals(run);
  return efficiency(granularity(sum.computing_s, sum.lost_s()).value_or(0));
}

constexpr double unequal_from = 1.05;

bool has_speed(const RankTimes& rank) {
  return rank.work && *rank.work > 0 && rank.computing_s > 0;
}

void require_speed(double speed) {
  if (!(std::isfinite(speed) && speed > 0))
    throw UsageError(fmt::format("a speed is {}", speed), "speeds are positive numbers",
                     "give the speed of each rank, in any unit");
}

}  // namespace

double cost_s(const RunTimes& run, std::size_t processors) {
  return static_cast<double>(processors) * run.run_s;
}

double overhead_s(double cost_s, double problem_size_s) {
  return cost_s - problem_size_s;
}

Classical classical(const RunTimes& run, double sequential_s) {
  if (!(std::isfinite(sequential_s) && sequential_s > 0))
    throw UsageError(fmt::format("the sequential time is {} s", sequential_s), "it must be more than 0",
                     "give the seconds that the problem takes on one processor");
  Classical figures;
  figures.sequential_s = sequential_s;
  figures.speedup = sequential_s / run.run_s;
  figures.efficiency = sequential_s / cost_s(run);
  const double by_granularity = efficiency_of(run);
  figures.difference = by_granularity - figures.efficiency;
  figures.relative_difference = by_granularity / figures.efficiency - 1;
  figures.extra_computing = totals(run).computing_s / sequential_s - 1;
  figures.overhead_s = overhead_s(cost_s(run), sequential_s);
  return figures;
}

const char* name_of(SpeedSource source) {
  if (source == SpeedSource::given) return "given";
  return source == SpeedSource::quota ? "quota" : "measured";
}

bool are_unequal(std::span<const double> speeds) {
  if (speeds.empty()) return false;
  const auto [least, most] = std::ranges::minmax(speeds);
  return most > unequal_from * least;
}

std::vector<double> quota_speeds(const RunTimes& run) {
  std::vector<double> speeds;
  for (const RankTimes& rank : run.ranks) speeds.push_back(rank.capacity);
  return speeds;
}

std::optional<std::vector<double>> measured_speeds(const RunTimes& run) {
  std::vector<double> speeds;
  for (const RankTimes& rank : run.ranks) {
    if (!has_speed(rank)) return std::nullopt;
    speeds.push_back(*rank.work / rank.computing_s);
  }
  return speeds;
}

std::vector<int> ranks_without_speed(const RunTimes& run) {
  std::vector<int> numbers;
  for (const RankTimes& rank : run.ranks)
    if (!has_speed(rank)) numbers.push_back(rank.rank);
  return numbers;
}

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
    throw UsageError(fmt::format("there are {} speeds and {} ranks", speeds.size(), ranks.size()),
                     "each rank needs one", "give as many as there are ranks");
  Heterogeneous figures;
  figures.virtual_processors = virtual_processors(speeds, reference_speed);
  for (std::size_t i = 0; i < speeds.size(); ++i)
    figures.sequential_s += ranks[i].computing_s * speeds[i] / reference_speed;
  figures.speedup = figures.sequential_s / run_s;
  figures.efficiency = figures.speedup / figures.virtual_processors;
  return figures;
}

}  // namespace loadshare::granularity
