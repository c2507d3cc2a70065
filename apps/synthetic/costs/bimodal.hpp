#pragma once

#include "apps/synthetic/costs/cost.hpp"
#include "apps/synthetic/costs/table.hpp"
#include "apps/synthetic/costs/values.hpp"

namespace loadshare::synthetic {

/// Two kinds of iterations, cheap and dear, in random order: as where some find nothing to do.
class Bimodal final : public Cost {
 public:
  Bimodal(CostRange range, double share, std::uint64_t seed) : range_(range), share_(share), seed_(seed) {}

  double seconds(Index iteration) const override;

 private:
  CostRange range_;
  double share_;  ///< of the dear ones
  std::uint64_t seed_;
};

/// The table's line for `bimodal[:low,high,share]`.
CostEntry bimodal_entry();

}  // namespace loadshare::synthetic
