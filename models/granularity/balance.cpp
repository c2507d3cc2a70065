#include "models/granularity/balance.hpp"

#include <algorithm>

namespace loadshare::granularity {

Balance balance(const RunTimes& run) {
  double sum_s = 0, most_s = 0;
  for (const RankTimes& rank : run.ranks) {
    sum_s += rank.computing_s;
    most_s = std::max(most_s, rank.computing_s);
  }
  Balance balance;
  if (most_s > 0) balance.load_balance = sum_s / static_cast<double>(run.ranks.size()) / most_s;
  balance.communication_efficiency = most_s / run.run_s;
  return balance;
}

}  // namespace loadshare::granularity
