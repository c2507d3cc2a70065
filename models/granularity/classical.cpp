#include "models/granularity/classical.hpp"

#include <fmt/format.h>

#include <cmath>

#include "models/granularity/granularity.hpp"
#include "schedulers/error.hpp"

namespace loadshare::granularity {
namespace {

double efficiency_of(const RunTimes& run) {
  const Totals sum = totals(run);
  return efficiency(granularity(sum.computing_s, sum.lost_s()).value_or(0));
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

}  // namespace loadshare::granularity
