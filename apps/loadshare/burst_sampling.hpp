#pragma once

#include <vector>

#include "base/types.hpp"
#include "models/messages/calibration.hpp"

namespace loadshare::tool {

/// Standard messages of one size, one behind the other, that nobody answers; their receives are posted.
struct Burst {
  Index bytes = 0;
  Index messages = 2;
};

/// Two processes of which one sends the other bursts; see PairExchange.
class BurstExchange {
 public:
  virtual ~BurstExchange() = default;

  /// From when the first message had come until the last one had, in seconds, more than 0.
  virtual double burst_s(const Burst& burst) = 0;
  virtual double now_s() const = 0;
};

struct BurstOptions {
  Index most_bytes = Index{4} << 20;  ///< of all messages of a burst together
  double budget_s = 2;                ///< after which no size gets more than it has
  Index repetitions = 20;
};

/// How far apart the messages of bursts come, of sizes of up to 64 KiB: the time a port needs for each, which
/// for short ones is more than their bytes tell. Each size is sent once however little time there is, and
/// then all of them over and over. Launch and ranks are left to the caller.
std::vector<calibration::BurstSeries> sample_bursts(BurstExchange& exchange, const BurstOptions& options);

}  // namespace loadshare::tool
