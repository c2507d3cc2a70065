#include "models/communication/linear_costs.hpp"

namespace loadshare::communication {

bool LinearCosts::waits_for_receive(SendMode mode, double bytes) const {
  if (mode == SendMode::synchronous) return true;
  return mode != SendMode::buffered && bytes >= parameters_.eager_bytes;
}

double LinearCosts::sender_s(SendMode mode, ReceivePosted posted, double bytes) const {
  if (mode == SendMode::buffered) return 0;
  const bool is_answered = posted == ReceivePosted::after && waits_for_receive(mode, bytes);
  return (is_answered ? parameters_.latency_s : 0) + leaving_s(bytes);
}

double LinearCosts::receiver_s(SendMode mode, ReceivePosted posted, double bytes) const {
  const double message_s = parameters_.latency_s + leaving_s(bytes);
  if (posted == ReceivePosted::before) return message_s;
  // What did not wait has come already.
  return waits_for_receive(mode, bytes) ? parameters_.latency_s + message_s : 0;
}

}  // namespace loadshare::communication
