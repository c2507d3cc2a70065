#pragma once

#include <vector>

#include "models/calibration/calibration.hpp"
#include "models/communication/send_mode.hpp"
#include "schedulers/types.hpp"

namespace loadshare::tool {

/// A few messages of one kind and size, sent one after the other.
struct Visit {
  communication::SendMode mode = communication::SendMode::standard;
  communication::ReceivePosted posted = communication::ReceivePosted::before;
  Index bytes = 0;
  Index warm_ups = 0;  ///< that go ahead untimed, so that times do not depend on what was sent before
  Index repetitions = 1;
  double stay_s = 0;  ///< posted after: how long the receiver stays away from MPI
};

/// Two processes that send each other messages and time them, and the clock of who asks them to. Who decides
/// what is sent walks this interface; tests hand in their own.
class PairExchange {
 public:
  virtual ~PairExchange() = default;

  /// One timing a repetition, or fewer where some went wrong, at least one. Throws Error (run_failed).
  virtual std::vector<calibration::MessageTiming> visit(const Visit& visit) = 0;
  virtual double now_s() const = 0;
};

}  // namespace loadshare::tool
