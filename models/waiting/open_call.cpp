#include "models/waiting/open_call.hpp"

#include <algorithm>

#include "models/waiting/open_partner.hpp"
#include "models/waiting/open_request.hpp"
#include "models/waiting/told.hpp"
#include "models/waiting/transfers.hpp"

namespace loadshare::waiting {
namespace {

using profile::CallKind;
using profile::Event;

/// Its event tells of the message that it sends, and nothing of the one that it receives. Until a partner of
/// one of them came it surely waited; where its message was taken, for the other one alone.
Wait exchanging(const Matching& matching, EventId call, const Wait& told) {
  const Event& event = at(matching.profile, call);
  if (!are_told(matching.profile, event.communicator)) return told;
  const Message* sent = matching.messages.sent_by(call);
  const Wait receive =
      open_receive(matching, {event.communicator, -1, matching.profile.ranks[call.rank].rank, -1});
  const bool is_taken = sent != nullptr && sent->completed && !is_open(matching.profile, sent->completed);
  if (sent != nullptr && !is_taken) return shorter(open_send(matching, call), receive);
  Wait wait = longer(told, receive);
  if (wait && sent != nullptr)
    wait.moving_ns =
        moved_ns(matching, call.rank, {sent}, event.begin_ns, std::min(wait.until_ns, event.end_ns));
  return wait;
}

/// Where one partner has come data may move.
Wait in_epoch(const Matching& matching, EventId call, const Wait& told) {
  if (told || !are_told(matching.profile, at(matching.profile, call).communicator)) return told;
  return {WaitState::late_epoch, to_the_end_ns};
}

}  // namespace

Wait open_wait(const Matching& matching, EventId call, const Wait& told) {
  switch (profile::facts(at(matching.profile, call)).kind) {
    case CallKind::receive:
    case CallKind::probe:
      return open_receive(matching, call);
    case CallKind::send:
      return open_send(matching, call);
    case CallKind::exchange:
      return exchanging(matching, call, told);
    case CallKind::wait:
      return open_request(matching, call);
    case CallKind::all_to_all:
    case CallKind::one_to_all:
    case CallKind::all_to_one:
    case CallKind::prefix:
    case CallKind::window_collective:
      return open_collective(matching, call, told);
    case CallKind::window_start:
    case CallKind::window_complete:
    case CallKind::window_wait:
      return in_epoch(matching, call, told);
    default:
      return told;
  }
}

}  // namespace loadshare::waiting
