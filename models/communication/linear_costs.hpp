#pragma once

#include "models/communication/message_costs.hpp"

namespace loadshare::communication {

/// Hockney's line t(n) = latency + n / bandwidth, for who has no calibration. A sender is busy while its
/// bytes leave, n / bandwidth, a receiver until they have come; buffering is free. A large standard send, and
/// every synchronous one, that waits for its receive needs one latency more for the receiver's answer.
/// Messages share a host's way out and its way in.
class LinearCosts final : public MessageCosts {
 public:
  struct Parameters {
    double latency_s = 50e-6;
    double bandwidth_bytes_per_s = 12.5e6;
    double eager_bytes = 65536;  ///< standard sends wait for their receive from here on
    /// Of the port that messages share, where it is wider than the way of one message; 0: as that.
    double port_bytes_per_s = 0;
  };

  explicit LinearCosts(const Parameters& parameters) : parameters_(parameters) {}

  bool waits_for_receive(SendMode mode, double bytes) const override;
  double sender_s(SendMode mode, ReceivePosted posted, double bytes) const override;
  double receiver_s(SendMode mode, ReceivePosted posted, double bytes) const override;
  double port_s(double bytes) const override {
    const double port = parameters_.port_bytes_per_s;
    return bytes / (port > 0 ? port : parameters_.bandwidth_bytes_per_s);
  }

 private:
  double leaving_s(double bytes) const { return bytes / parameters_.bandwidth_bytes_per_s; }

  Parameters parameters_;
};

}  // namespace loadshare::communication
