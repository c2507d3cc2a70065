#pragma once

#include "apps/synthetic/costs/cost.hpp"
#include "apps/synthetic/costs/table.hpp"

namespace loadshare::synthetic {

/// Exponentially distributed costs: many cheap iterations and a few that cost several times the mean; the
/// standard deviation is the mean.
class Exponential final : public Cost {
 public:
  Exponential(double mean_s, std::uint64_t seed) : mean_s_(mean_s), seed_(seed) {}

  double seconds(Index iteration) const override;

 private:
  double mean_s_;
  std::uint64_t seed_;
};

/// The table's line for `exponential[:mean]`.
CostEntry exponential_entry();

}  // namespace loadshare::synthetic
