#pragma once

#include "models/granularity/times.hpp"

namespace loadshare::granularity {

/// Where time went, in seconds: of one rank, or the sum over all.
struct Totals {
  double computing_s = 0;
  double communicating_s = 0;
  double idle_s = 0;
  double stolen_s = 0;

  /// All that was no computing.
  double lost_s() const { return communicating_s + idle_s + stolen_s; }
  double all_s() const { return computing_s + lost_s(); }
};

Totals totals(const RankTimes& rank);
Totals totals(const RunTimes& run);

}  // namespace loadshare::granularity
