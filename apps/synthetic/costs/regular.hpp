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

/// Costs that rise in equal steps from the first iteration to the last, as in a triangular loop nest; a lone
/// iteration costs the middle. The dear ones come where chunks are small already.
class Rising final : public Cost {
 public:
  Rising(CostRange range, Index iterations) : range_(range), iterations_(iterations) {}

  double seconds(Index iteration) const override;

 private:
  CostRange range_;
  Index iterations_;
};

/// The table's line for `rising[:low,high]`.
CostEntry rising_entry();

/// Costs that fall in equal steps from the first iteration to the last; a lone iteration costs the middle.
/// The dear ones come in the large first chunks, which may then outlast all the rest.
class Falling final : public Cost {
 public:
  Falling(CostRange range, Index iterations) : range_(range), iterations_(iterations) {}

  double seconds(Index iteration) const override;

 private:
  CostRange range_;
  Index iterations_;
};

/// The table's line for `falling[:low,high]`.
CostEntry falling_entry();

}  // namespace loadshare::synthetic
