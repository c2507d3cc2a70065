#pragma once

#include <cstdint>

#include "models/communication/send_mode.hpp"
#include "models/timing_graph/evaluation.hpp"
#include "models/timing_graph/mailboxes.hpp"

namespace loadshare::timing_graph {

/// One side of a message: when it is done, and since when that was fixed, by which op.
struct Completion {
  double time_s = 0;
  double since_s = 0;
  std::uint32_t cause = nothing;  ///< nothing: not known yet
  std::uint32_t hold = nothing;   ///< what the message waited for last on its way
};

/// A message on its way.
struct Transit {
  MatchedMessage message;
  double sent_s = 0;
  double posted_s = 0;
  double started_s = 0;  ///< its bytes begin to move
  double delay_s = 0;    ///< by others before it on the ways out and in and at the receiver's processor
  std::uint32_t hold = nothing;
  communication::ReceivePosted posted = communication::ReceivePosted::before;
  bool has_waited = false;  ///< the send returns only after the receive was posted
  bool is_matched = false;
  bool is_through = false;  ///< the delay is known

  /// The op from whose begin on the bytes move.
  std::uint32_t started_by() const {
    const bool by_receive = has_waited && posted == communication::ReceivePosted::after;
    return by_receive ? message.receive : message.send;
  }
};

}  // namespace loadshare::timing_graph
