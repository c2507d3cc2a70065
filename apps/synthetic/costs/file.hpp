#pragma once

#include <utility>
#include <vector>

#include "apps/synthetic/costs/cost.hpp"
#include "apps/synthetic/costs/table.hpp"

namespace loadshare::synthetic {

/// Costs measured elsewhere, from a file with one cost in seconds a line. Empty lines, and those that begin
/// with #, are passed over; costs beyond the loop's end too.
class Listed final : public Cost {
 public:
  explicit Listed(std::vector<double> costs_s) : costs_s_(std::move(costs_s)) {}

  double seconds(Index iteration) const override;

 private:
  std::vector<double> costs_s_;
};

/// The table's line for `file:path`.
CostEntry file_entry();

}  // namespace loadshare::synthetic
