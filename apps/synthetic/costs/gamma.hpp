#pragma once

#include "apps/synthetic/costs/cost.hpp"
#include "apps/synthetic/costs/table.hpp"

namespace loadshare::synthetic {

/// Gamma distributed costs: never negative, of any spread. With cv = 1 it is the exponential distribution,
/// with a small one nearly the normal.
///
/// Drawn by Marsaglia and Tsang, "A simple method for generating gamma variables", ACM Transactions on
/// Mathematical Software 26(3), 2000, with their way from a shape to that shape plus 1 for those below 1.
class Gamma final : public Cost {
 public:
  Gamma(double mean_s, double cv, std::uint64_t seed) : mean_s_(mean_s), cv_(cv), seed_(seed) {}

  double seconds(Index iteration) const override;

 private:
  double mean_s_;
  double cv_;  ///< standard deviation over mean; the shape is 1 / cv^2
  std::uint64_t seed_;
};

/// The table's line for `gamma[:mean,cv]`.
CostEntry gamma_entry();

}  // namespace loadshare::synthetic
