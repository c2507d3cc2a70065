#pragma once

#include "apps/synthetic/costs/cost.hpp"
#include "apps/synthetic/costs/table.hpp"
#include "apps/synthetic/costs/values.hpp"

namespace loadshare::synthetic {

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

}  // namespace loadshare::synthetic
