#pragma once

#include "models/communication/send_mode.hpp"

namespace loadshare::communication {

/// What a message costs its two processes, which is all that a timing graph asks of the network: whoever
/// evaluates one walks this interface, tests hand in their own. Sizes are bytes, times seconds, never
/// negative.
///
/// With s the time at which the send began, and r at which the receive was posted:
///
///     posted before (r <= s):          the send returns at s + sender_s(before),
///                                      the message is received at s + receiver_s(before)
///     posted after, not waiting:       the send returns at s + sender_s(after), whatever the receiver does,
///                                      and is received at max(r + receiver_s(after), s + receiver_s(before))
///     posted after, waiting:           the send returns at r + sender_s(after),
///                                      and is received at r + receiver_s(after)
class MessageCosts {
 public:
  virtual ~MessageCosts() = default;

  /// Whether a send whose receive is posted later returns only after that: always in synchronous mode, never
  /// in buffered mode, in standard mode from the size on at which MPI changes from eager to rendezvous.
  virtual bool waits_for_receive(SendMode mode, double bytes) const = 0;

  /// The sender's time. Ready mode with the receive posted `after` is a program's error: costs as standard
  /// mode.
  virtual double sender_s(SendMode mode, ReceivePosted posted, double bytes) const = 0;

  /// The receiver's time.
  virtual double receiver_s(SendMode mode, ReceivePosted posted, double bytes) const = 0;

  /// For how long a message keeps others from leaving its sender's host, and from reaching its receiver's: 0
  /// where messages side by side do not slow each other.
  virtual double port_s(double bytes) const = 0;
};

}  // namespace loadshare::communication
