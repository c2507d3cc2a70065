#pragma once

#include "apps/synthetic/costs/cost.hpp"
#include "apps/synthetic/costs/table.hpp"

namespace loadshare::synthetic {

/// Normally distributed costs, truncated at 0: what would be negative is drawn again. Up to cv = 0.3 that
/// hardly ever happens; at 1, mean and deviation become 1.29 and 0.79 times those asked for.
class Normal final : public Cost {
 public:
  Normal(double mean_s, double cv, std::uint64_t seed) : mean_s_(mean_s), cv_(cv), seed_(seed) {}

  double seconds(Index iteration) const override;

 private:
  double mean_s_;
  double cv_;  ///< standard deviation over mean, before truncation
  std::uint64_t seed_;
};

/// The table's line for `normal[:mean,cv]`.
CostEntry normal_entry();

}  // namespace loadshare::synthetic
