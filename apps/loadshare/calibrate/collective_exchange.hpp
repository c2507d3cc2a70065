#pragma once

#include <string>
#include <vector>

#include "schedulers/types.hpp"

namespace loadshare::tool {

/// A collective call of one size, made a few times.
struct CollectiveVisit {
  std::string call;
  Index bytes = 0;  ///< as communication::CollectiveCosts has them
  Index repetitions = 1;
};

/// Processes that make collective calls together and time them, and the clock of who asks them to; see
/// PairExchange.
class CollectiveExchange {
 public:
  virtual ~CollectiveExchange() = default;

  /// One time a repetition, in seconds: from when the last began it until all had ended it. One more call
  /// goes ahead, untimed.
  virtual std::vector<double> visit(const CollectiveVisit& visit) = 0;
  virtual double now_s() const = 0;
};

}  // namespace loadshare::tool
