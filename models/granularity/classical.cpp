#include "models/granularity/classical.hpp"

#include <fmt/format.h>

#include <cmath>

#include "models/granularity/granularity.hpp"
#include "schedulers/error.hpp"

namespace loadshare::granularity {

double cost_s(const RunTimes& run) {
  return static_cast<double>(run.ranks.size()) * run.run_s;
}

double overhead_s(const RunTimes& run, double problem_size_s) {
  return cost_s(run) - problem_size_s;
}

Classical classical(const RunTimes& run, double sequential_s) {
  if (!(std::isfinite(sequential_s) && sequential_s > 0))
    throw UsageError(fmt::format("the sequential time is {} s", sequential_s), "no run takes so long");
  const Totals sum = totals(run);
  Classical figures;
  figures.sequential_s = sequential_s;
  figures.speedup = sequential_s / run.run_s;
  figures.efficiency = sequential_s / cost_s(run);
  figures.difference =
      efficiency(granularity(sum.computing_s, sum.lost_s()).value_or(0)) - figures.efficiency;
  figures.extra_computing = sum.computing_s / sequential_s - 1;
  figures.overhead_s = overhead_s(run, sequential_s);
  return figures;
}

}  // namespace loadshare::granularity
