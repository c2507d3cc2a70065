#include "models/waiting/open_partner.hpp"

#include <algorithm>

#include "models/waiting/late_member.hpp"
#include "models/waiting/late_partner.hpp"
#include "models/waiting/told.hpp"

namespace loadshare::waiting {
namespace {

using profile::CallKind;
using profile::Event;
using profile::SendMode;

/// Whether a member before this one in the communicator has not come.
bool lacks_one_before(const Operation& operation, const Arrival& own, const std::vector<int>& members,
                      int own_rank) {
  const auto came = static_cast<std::size_t>(&own - operation.arrivals.data());
  return members.at(came) != own_rank;
}

}  // namespace

bool is_open(const profile::Profile& profile, EventId call) {
  const profile::RankProfile& rank = profile.ranks[call.rank];
  return rank.ends_in_call && call.event + 1 == rank.events.size();
}

Wait open_receive(const Matching& matching, EventId call) {
  if (const Wait known = late_sender(matching, call)) return known;
  const Event& event = at(matching.profile, call);
  return open_receive(matching,
                      {event.communicator, event.peer, matching.profile.ranks[call.rank].rank, event.tag});
}

Wait open_receive(const Matching& matching, const Channel& wanted) {
  const profile::Profile& profile = matching.profile;
  const bool tells_all =
      wanted.source >= 0 ? is_told(profile, wanted.source) : are_told(profile, wanted.communicator);
  if (!tells_all) return {};
  return {WaitState::late_sender, matching.messages.first_left_ns(wanted).value_or(to_the_end_ns)};
}

Wait open_send(const Matching& matching, EventId call) {
  const Message* message = matching.messages.sent_by(call);
  const Event& event = at(matching.profile, call);
  const SendMode mode = profile::facts(event).mode;
  if (message == nullptr || mode == SendMode::buffered || mode == SendMode::ready) return {};
  if (message->posted) return {WaitState::late_receiver, at(matching.profile, message->posted).begin_ns};
  if (!is_told(matching.profile, event.peer)) return {};
  const Channel sent{event.communicator, matching.profile.ranks[call.rank].rank, event.peer, event.tag};
  return {WaitState::late_receiver, matching.messages.first_taker_ns(sent).value_or(to_the_end_ns)};
}

Wait open_collective(const Matching& matching, EventId call, const Wait& told) {
  const profile::Profile& profile = matching.profile;
  const Arrival* own = matching.collectives.arrival(call);
  const std::uint32_t communicator = at(profile, call).communicator;
  if (own == nullptr || !are_told(profile, communicator)) return told;
  const Operation& operation = matching.collectives.operation(*own);
  const std::vector<int>& members = profile.communicators[communicator].members;
  if (operation.arrivals.size() == members.size()) return told;
  switch (kind_of_collective(at(profile, call))) {
    case CallKind::one_to_all:
      return operation.root == nullptr ? Wait{WaitState::late_root, to_the_end_ns} : told;
    case CallKind::all_to_one:
      if (operation.root == own) return {WaitState::early_root, to_the_end_ns};
      return operation.root == nullptr ? Wait{WaitState::late_root, to_the_end_ns} : told;
    case CallKind::prefix:
      if (!lacks_one_before(operation, *own, members, profile.ranks[call.rank].rank)) return told;
      return {WaitState::late_member, to_the_end_ns};
    case CallKind::all_to_all:
    case CallKind::window_collective:
      return {WaitState::late_member, to_the_end_ns};
    default:
      return told;
  }
}

}  // namespace loadshare::waiting
