#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>

#include "models/communication/collective_costs.hpp"

namespace loadshare::communication {

/// One measured call; see CollectiveCosts for what is meant.
struct CollectiveSample {
  std::string call;
  int members = 0;
  double bytes = 0;
  double seconds = 0;
  std::size_t launch = 0;
};

/// Measured calls: a curve over the bytes for each call and number of members, by fit_interpolated(). Between
/// two numbers that were measured times are interpolated, both as logarithms; beyond them nothing is said.
class CollectiveModel final : public CollectiveCosts {
 public:
  /// Throws UsageError on negative bytes and on times that are not more than 0.
  explicit CollectiveModel(std::span<const CollectiveSample> samples);

  std::optional<Estimate> time(const std::string& call, int members, double bytes) const override;

  /// By call, then by members.
  const std::map<std::string, std::map<int, Curve>>& curves() const { return curves_; }

 private:
  std::map<std::string, std::map<int, Curve>> curves_;
};

}  // namespace loadshare::communication
