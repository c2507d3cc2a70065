#include "models/waiting/late_partner.hpp"

namespace loadshare::waiting {
namespace {

bool may_wait(profile::SendMode mode) {
  return mode != profile::SendMode::buffered && mode != profile::SendMode::ready;
}

}  // namespace

Wait late_sender(const Matching& matching, EventId receive) {
  const Message* message = matching.messages.taken_by(receive);
  if (message == nullptr) return {};
  return {WaitState::late_sender, at(matching.profile, message->sent).begin_ns};
}

Wait late_receiver(const Matching& matching, EventId send, const profile::Event& in) {
  const Message* message = matching.messages.sent_by(send);
  if (message == nullptr || !message->posted) return {};
  if (!may_wait(profile::facts(at(matching.profile, send)).mode)) return {};
  const std::int64_t posted_ns = at(matching.profile, message->posted).begin_ns;
  if (in.end_ns <= posted_ns) return {};
  return {WaitState::late_receiver, posted_ns};
}

}  // namespace loadshare::waiting
