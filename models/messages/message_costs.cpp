#include "models/messages/message_costs.hpp"

#include "base/names.hpp"

namespace loadshare::communication {
namespace {

constexpr Choices<SendMode, 4> mode_names{{{"standard", SendMode::standard},
                                           {"buffered", SendMode::buffered},
                                           {"synchronous", SendMode::synchronous},
                                           {"ready", SendMode::ready}}};
constexpr Choices<Side, 2> side_names{{{"sender", Side::sender}, {"receiver", Side::receiver}}};
constexpr Choices<ReceivePosted, 2> posted_names{
    {{"before", ReceivePosted::before}, {"after", ReceivePosted::after}}};

}  // namespace

std::string name_of(SendMode mode) {
  return name_among(mode_names, mode);
}

std::string name_of(Side side) {
  return name_among(side_names, side);
}

std::string name_of(ReceivePosted posted) {
  return name_among(posted_names, posted);
}

SendMode parse_send_mode(const std::string& what, const std::string& text) {
  return choose(what.c_str(), text, mode_names);
}

ReceivePosted parse_receive_posted(const std::string& what, const std::string& text) {
  return choose(what.c_str(), text, posted_names);
}

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
