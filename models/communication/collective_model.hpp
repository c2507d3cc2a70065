#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>

#include "models/communication/collective_costs.hpp"
#include "models/communication/size_range.hpp"

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

  /// Calls without bytes take no more than the smallest.
  std::optional<Estimate> time(const std::string& call, int members, double bytes) const override;
  /// The sizes that were measured of it, where time() knows it.
  std::optional<SizeRange> measured_bytes(const std::string& call, int members) const;

 private:
  /// The curves of the nearest numbers of members that were measured, both the same where that one was, and
  /// how far from the first to the second `members` lies, in logarithms.
  struct Between {
    const Curve* below = nullptr;
    const Curve* above = nullptr;
    double share = 0;
  };
  std::optional<Between> curves_at(const std::string& call, int members) const;

  std::map<std::string, std::map<int, Curve>> curves_;  ///< by call, then by members
};

}  // namespace loadshare::communication
