#pragma once

#include "apps/synthetic/costs/cost.hpp"
#include "apps/synthetic/costs/table.hpp"
#include "apps/synthetic/costs/values.hpp"

namespace loadshare::synthetic {

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
