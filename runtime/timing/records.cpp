#include "runtime/timing/records.hpp"

#include <algorithm>
#include <cmath>

namespace loadshare {

double worst_account_gap(const RunRecord& record) {
  if (record.makespan_s <= 0) return 0;
  double worst = 0;
  for (const RankRecord& rank : record.ranks) worst = std::max(worst, std::abs(rank.unaccounted_s));
  return worst / record.makespan_s;
}

}  // namespace loadshare
