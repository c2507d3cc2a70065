#include "models/waiting/granted.hpp"

#include <algorithm>

namespace loadshare::waiting {

double granted_share(const profile::RankProfile& rank) {
  if (rank.inside_ns <= 0) return 1;
  const double stolen = static_cast<double>(rank.stolen_inside_ns) / static_cast<double>(rank.inside_ns);
  return std::clamp(1 - stolen, 0.0, 1.0);
}

}  // namespace loadshare::waiting
