#include "models/waiting/late_partner.hpp"

namespace loadshare::waiting {
namespace {

using profile::Event;
using profile::SendMode;

/// No transport of Open MPI sends longer messages than this before their receive is posted, as it is
/// delivered (TCP's limit is the highest).
constexpr std::uint64_t longest_eager_bytes = 64 << 10;

bool may_wait(const Event& send, Company company) {
  const SendMode mode = profile::facts(send).mode;
  if (mode == SendMode::buffered || mode == SendMode::ready) return false;
  return company == Company::sends_alone || is_surely_held(send);
}

}  // namespace

bool is_surely_held(const Event& send) {
  return profile::facts(send).mode == SendMode::synchronous || send.bytes > longest_eager_bytes;
}

Wait late_sender(const Matching& matching, EventId receive) {
  const Message* message = matching.messages.taken_by(receive);
  if (message == nullptr) return {};
  return {WaitState::late_sender, at(matching.profile, message->sent).begin_ns};
}

Wait late_receiver(const Matching& matching, EventId send, const Event& in, Company company) {
  const Message* message = matching.messages.sent_by(send);
  if (message == nullptr || !message->posted) return {};
  if (!may_wait(at(matching.profile, send), company)) return {};
  const std::int64_t posted_ns = at(matching.profile, message->posted).begin_ns;
  if (in.end_ns <= posted_ns) return {};
  return {WaitState::late_receiver, posted_ns};
}

}  // namespace loadshare::waiting
