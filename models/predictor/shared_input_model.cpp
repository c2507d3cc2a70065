#include "models/predictor/shared_input_model.hpp"

#include <algorithm>

#include "runtime/transport/shared_units.hpp"

namespace loadshare::predictor {

namespace {

using Links = std::span<const std::shared_ptr<const communication::MessageCosts>>;

double received_s(const communication::MessageCosts& costs, double bytes) {
  using communication::ReceivePosted, communication::SendMode;
  return costs.receiver_s(SendMode::standard, ReceivePosted::before, bytes);
}

/// It goes through all hosts, and is as late as on the slowest way.
const communication::MessageCosts& slowest_of(Links links, double bytes) {
  return **std::ranges::max_element(links, {},
                                    [bytes](const auto& link) { return received_s(*link, bytes); });
}

}  // namespace

SharedInputModel shared_input_of(const LoopRecord& data, double begins_at, std::size_t other_hosts,
                                 Links links) {
  SharedInputModel shared;
  if (data.shared_bytes <= 0 || other_hosts == 0 || links.empty()) return shared;
  const communication::MessageCosts& costs = slowest_of(links, data.shared_bytes);
  const SharedUnits units(static_cast<std::size_t>(data.shared_bytes),
                          static_cast<std::size_t>(data.shared_piece_bytes));
  const auto unit_bytes = static_cast<double>(units.unit_bytes());
  const double window_bytes = static_cast<double>(units.first_credits(other_hosts)) * unit_bytes;  // a host's
  const double under_way_bytes = std::min(data.shared_bytes, window_bytes * static_cast<double>(other_hosts));
  // As long as the master's port needs, or the slowest way if that is longer.
  const double way_s = received_s(costs, data.shared_bytes) - received_s(costs, 0);
  shared.transfer_s = std::max(costs.port_s(data.shared_bytes), way_s);
  shared.window_s = costs.port_s(window_bytes);
  // What is under way when the last unit leaves has yet to be passed on.
  shared.tail_s = received_s(costs, other_hosts > 1 ? under_way_bytes : unit_bytes);
  shared.begins_at = begins_at;
  shared.last_part = 1.0 / static_cast<double>(units.pieces());
  return shared;
}

}  // namespace loadshare::predictor
