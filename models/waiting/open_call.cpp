#include "models/waiting/open_call.hpp"

#include <limits>

namespace loadshare::waiting {
namespace {

using profile::CallKind;
using profile::Event;

constexpr std::int64_t to_the_end_ns = std::numeric_limits<std::int64_t>::max();

/// Whether the rank has a receive under way, which its waits do not tell of before they have it.
bool has_open_receive(const Matching& matching, std::uint32_t rank) {
  const std::vector<Event>& events = matching.profile.ranks[rank].events;
  for (std::uint32_t i = 0; i < events.size(); ++i) {
    if (events[i].part != profile::Part::call || events[i].request == 0) continue;
    if (profile::facts(events[i]).kind != CallKind::receive_start) continue;
    const Message* message = matching.messages.taken_by({rank, i});
    if (message == nullptr || !message->completed) return true;
  }
  return false;
}

Wait sending(const Matching& matching, EventId call) {
  const Message* message = matching.messages.sent_by(call);
  if (message == nullptr) return {};
  if (!message->posted) return {WaitState::late_receiver, to_the_end_ns};
  return {WaitState::late_receiver, at(matching.profile, message->posted).begin_ns};
}

/// Of a receive whose message was sent the matching tells: that was on its way.
Wait receiving(const Matching& matching, EventId call) {
  if (matching.messages.taken_by(call) != nullptr) return {};
  return {WaitState::late_sender, to_the_end_ns};
}

/// Where all have come, waiting is over, and the matching tells when.
Wait gathering(const Matching& matching, EventId call, const Wait& told) {
  const Arrival* arrival = matching.collectives.arrival(call);
  if (arrival == nullptr) return told;
  const auto communicator = at(matching.profile, call).communicator;
  const std::size_t members = matching.profile.communicators[communicator].members.size();
  const bool have_all_come = matching.collectives.operation(*arrival).arrivals.size() == members;
  return have_all_come ? told : Wait{WaitState::late_member, to_the_end_ns};
}

}  // namespace

bool is_open(const profile::Profile& profile, EventId call) {
  const profile::RankProfile& rank = profile.ranks[call.rank];
  return rank.ends_in_call && call.event + 1 == rank.events.size();
}

Wait open_wait(const Matching& matching, EventId call, const Wait& told) {
  switch (profile::facts(at(matching.profile, call)).kind) {
    case CallKind::receive:
    case CallKind::probe:
    case CallKind::exchange:
      return longer(told, receiving(matching, call));
    case CallKind::send:
      return longer(told, sending(matching, call));
    case CallKind::wait:
      return {has_open_receive(matching, call.rank) ? WaitState::late_sender : WaitState::late_receiver,
              to_the_end_ns};
    case CallKind::all_to_all:
    case CallKind::one_to_all:
    case CallKind::all_to_one:
    case CallKind::prefix:
    case CallKind::window_collective:
      return gathering(matching, call, told);
    case CallKind::window_start:
    case CallKind::window_complete:
    case CallKind::window_wait:
    case CallKind::window_lock:
      return {WaitState::late_epoch, to_the_end_ns};
    default:
      return told;
  }
}

}  // namespace loadshare::waiting
