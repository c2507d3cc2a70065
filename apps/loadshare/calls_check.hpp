#pragma once

#include <string>
#include <vector>

#include "models/messages/calibration.hpp"

namespace loadshare::tool {

/// One size's collective calls of so many ranks as they were measured, and as another calibration says them:
/// means without the least and the greatest tenth, which is what fits of calls are of, in seconds.
struct CheckedCall {
  std::string call;
  int ranks = 0;
  std::string who;    ///< "all", or of calls with a root "root", "rank 1" ...
  std::string after;  ///< of calls with a root: its "own" begin, or the last "awaited" one; "last" of all
  Index bytes = 0;
  /// From that begin until the rank has left, where it is what the rank left by.
  double measured_s = 0;
  double predicted_s = 0;

  double error() const { return predicted_s / measured_s - 1; }
};

/// Of every call, number of ranks and size of `measured` within these bytes that `fitted` says something of
/// and did not measure itself.
std::vector<CheckedCall> checked_calls(const calibration::Calibration& fitted,
                                       const calibration::Calibration& measured, Index least_bytes,
                                       Index most_bytes);

}  // namespace loadshare::tool
