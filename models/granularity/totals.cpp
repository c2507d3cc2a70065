#include "models/granularity/totals.hpp"

namespace loadshare::granularity {

Totals totals(const RankTimes& rank) {
  return {rank.computing_s, rank.communicating_s, rank.idle_s, rank.stolen_s};
}

Totals totals(const RunTimes& run) {
  Totals sum;
  for (const RankTimes& rank : run.ranks) {
    sum.computing_s += rank.computing_s;
    sum.communicating_s += rank.communicating_s;
    sum.idle_s += rank.idle_s;
    sum.stolen_s += rank.stolen_s;
  }
  return sum;
}

}  // namespace loadshare::granularity
