#pragma once

#include "apps/synthetic/costs/cost.hpp"
#include "apps/synthetic/costs/table.hpp"
#include "apps/synthetic/costs/values.hpp"

namespace loadshare::synthetic {

/// Any cost from low to high is as likely as any other: mean (low + high) / 2, standard deviation
/// (high - low) / sqrt(12).
class Uniform final : public Cost {
 public:
  Uniform(CostRange range, std::uint64_t seed) : range_(range), seed_(seed) {}

  double seconds(Index iteration) const override;

 private:
  CostRange range_;
  std::uint64_t seed_;
};

/// The table's line for `uniform[:low,high]`.
CostEntry uniform_entry();

}  // namespace loadshare::synthetic
