#include "models/granularity/granularity.hpp"

#include <cmath>
#include <limits>

namespace loadshare::granularity {

std::optional<double> granularity(double computing_s, double lost_s) {
  if (lost_s > 0) return computing_s / lost_s;
  if (computing_s > 0) return std::numeric_limits<double>::infinity();
  return std::nullopt;
}

double efficiency(double granularity) {
  return std::isinf(granularity) ? 1 : granularity / (granularity + 1);
}

Granularities granularities(const Totals& times, bool tells_idle) {
  Granularities all;
  all.all = granularity(times.computing_s, times.lost_s());
  all.without_stolen = granularity(times.computing_s, times.communicating_s + times.idle_s);
  if (tells_idle) all.communication = granularity(times.computing_s, times.communicating_s);
  return all;
}

}  // namespace loadshare::granularity
