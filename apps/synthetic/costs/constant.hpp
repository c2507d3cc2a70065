#pragma once

#include "apps/synthetic/costs/cost.hpp"
#include "apps/synthetic/costs/table.hpp"

namespace loadshare::synthetic {

/// Every iteration costs the same. For loops such as a matrix product's.
class Constant final : public Cost {
 public:
  explicit Constant(double each_s) : each_s_(each_s) {}

  double seconds(Index iteration) const override;

 private:
  double each_s_;
};

/// The table's line for `constant[:mean]`.
CostEntry constant_entry();

}  // namespace loadshare::synthetic
