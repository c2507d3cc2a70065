#pragma once

#include <cstddef>

#include "models/communication/send_mode.hpp"

namespace loadshare::communication {

/// One message as it was measured, each side on its own clock. Its times are those of MessageCosts.
struct MessageSample {
  SendMode mode = SendMode::standard;
  ReceivePosted posted = ReceivePosted::before;
  double bytes = 0;
  double sender_s = 0;
  double receiver_s = 0;
  /// Posted after: whether the send was seen to return only after the receive had been posted.
  bool has_waited = false;
  std::size_t launch = 0;  ///< of the two processes
};

}  // namespace loadshare::communication
