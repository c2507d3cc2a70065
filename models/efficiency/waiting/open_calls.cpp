#include "models/efficiency/waiting/open_calls.hpp"

#include <algorithm>
#include <optional>
#include <unordered_set>

#include "models/efficiency/waiting/calls.hpp"
#include "models/efficiency/waiting/members.hpp"
#include "profiler/calls.hpp"

namespace loadshare::waiting {
namespace {

using profile::CallId;
using profile::CallKind;
using profile::Event;
using profile::Part;
using profile::SendMode;

/// Whether it says that a request is over, or will be without its partner.
bool is_end_of_request(const Event& event) {
  const auto call = static_cast<CallId>(event.call);
  return event.part == Part::received || event.part == Part::completed || call == CallId::Request_free ||
         call == CallId::Cancel;
}

bool is_start(const Event& event) {
  const CallKind kind = profile::facts(event).kind;
  return event.part == Part::call && event.request != 0 &&
         (kind == CallKind::send_start || kind == CallKind::receive_start ||
          kind == CallKind::collective_start);
}

bool has_ended(const Matching& matching, EventId call) {
  return call && !is_open(matching.profile, call);
}

/// Nothing where it holds up nobody: its partner is through with it.
std::optional<Wait> wait_for(const Matching& matching, EventId start, const Event& wait) {
  const Message* sent = matching.messages.sent_by(start);
  const Message* taken = matching.messages.taken_by(start);
  switch (profile::facts(at(matching.profile, start)).kind) {
    case CallKind::receive_start:
      if (taken != nullptr && has_ended(matching, taken->released)) return std::nullopt;
      return open_receive(matching, start);
    case CallKind::send_start:
      if (sent == nullptr || has_ended(matching, sent->completed)) return std::nullopt;
      return open_send(matching, start);
    default:
      return open_collective(matching, start, late_member(matching, start, wait));
  }
}

std::optional<Wait> sooner(const std::optional<Wait>& before, const std::optional<Wait>& last) {
  if (!before || !last) return before ? before : last;
  return shorter(*last, *before);
}

bool is_short_send(const Matching& matching, EventId start) {
  return profile::facts(at(matching.profile, start)).kind == CallKind::send_start &&
         !is_surely_held(matching, start);
}

CallMessages messages_of(const Matching& matching, const std::vector<EventId>& starts) {
  CallMessages messages;
  for (const EventId start : starts)
    for (const Message* message : {matching.messages.sent_by(start), matching.messages.taken_by(start)})
      if (message != nullptr) messages.push_back(message);
  return messages;
}

/// What a wait on requests waited for in which the run ended. It does not tell for which, so it is taken to
/// be for those that were under way and not known to be over, up to when the first one's partner came: from
/// then on data may have moved. Where that is the same of several, the one started last counts; short sends
/// count where there is nothing else, as they hold nobody up.
Wait open_request(const Matching& matching, EventId wait) {
  const profile::RankProfile& rank = matching.profile.ranks[wait.rank];
  if (rank.calls_of_other_threads > 0) return {};
  const Event& call = at(matching.profile, wait);
  const std::vector<EventId> starts = starts_under_way(matching.profile, wait.rank);
  std::optional<Wait> surely;
  std::optional<Wait> perhaps;
  for (const EventId start : starts) {
    std::optional<Wait>& until = is_short_send(matching, start) ? perhaps : surely;
    until = sooner(until, wait_for(matching, start, call));
  }
  Wait until = surely ? *surely : perhaps.value_or(Wait{});
  if (until)
    until.moving_ns = moved_ns(matching, wait.rank, messages_of(matching, starts), call.begin_ns,
                               std::min(until.until_ns, call.end_ns));
  return until;
}

/// Whether a member before this one in the communicator has not come.
bool lacks_one_before(const Operation& operation, const Arrival& own, const std::vector<int>& members,
                      int own_rank) {
  const auto came = static_cast<std::size_t>(&own - operation.arrivals.data());
  return members.at(came) != own_rank;
}

/// Its event tells of the message that it sends, and nothing of the one that it receives. Until a partner of
/// one of them came it surely waited; where its message was taken, for the other one alone.
Wait exchanging(const Matching& matching, EventId call, const Wait& recorded) {
  const Event& event = at(matching.profile, call);
  if (!are_recorded(matching.profile, event.communicator)) return recorded;
  const Message* sent = matching.messages.sent_by(call);
  const Wait receive =
      open_receive(matching, {event.communicator, -1, matching.profile.ranks[call.rank].rank, -1});
  const bool is_taken = sent != nullptr && sent->completed && !is_open(matching.profile, sent->completed);
  if (sent != nullptr && !is_taken) return shorter(open_send(matching, call), receive);
  Wait wait = longer(recorded, receive);
  if (wait && sent != nullptr)
    wait.moving_ns =
        moved_ns(matching, call.rank, {sent}, event.begin_ns, std::min(wait.until_ns, event.end_ns));
  return wait;
}

/// Where one partner has come data may move.
Wait in_epoch(const Matching& matching, EventId call, const Wait& recorded) {
  if (recorded || !are_recorded(matching.profile, at(matching.profile, call).communicator)) return recorded;
  return {WaitState::late_epoch, to_the_end_ns};
}

}  // namespace

bool is_open(const profile::Profile& profile, EventId call) {
  const profile::RankProfile& rank = profile.ranks[call.rank];
  return rank.ends_in_call && call.event + 1 == rank.events.size();
}

std::vector<EventId> starts_under_way(const profile::Profile& profile, std::uint32_t rank) {
  const std::vector<Event>& events = profile.ranks[rank].events;
  std::unordered_set<std::uint32_t> over;
  for (const Event& event : events)
    if (is_end_of_request(event)) over.insert(event.request);
  std::vector<EventId> starts;
  for (std::uint32_t i = 0; i < events.size(); ++i)
    if (is_start(events[i]) && !over.contains(events[i].request)) starts.push_back({rank, i});
  return starts;
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
      wanted.source >= 0 ? is_recorded(profile, wanted.source) : are_recorded(profile, wanted.communicator);
  if (!tells_all) return {};
  return {WaitState::late_sender, matching.messages.first_left_ns(wanted).value_or(to_the_end_ns)};
}

Wait open_send(const Matching& matching, EventId call) {
  const Message* message = matching.messages.sent_by(call);
  const Event& event = at(matching.profile, call);
  const SendMode mode = profile::facts(event).mode;
  if (message == nullptr || mode == SendMode::buffered || mode == SendMode::ready) return {};
  if (message->posted) return {WaitState::late_receiver, at(matching.profile, message->posted).begin_ns};
  if (!is_recorded(matching.profile, event.peer)) return {};
  const Channel sent{event.communicator, matching.profile.ranks[call.rank].rank, event.peer, event.tag};
  return {WaitState::late_receiver, matching.messages.first_taker_ns(sent).value_or(to_the_end_ns)};
}

Wait open_collective(const Matching& matching, EventId call, const Wait& recorded) {
  const profile::Profile& profile = matching.profile;
  const Arrival* own = matching.collectives.arrival(call);
  const std::uint32_t communicator = at(profile, call).communicator;
  if (own == nullptr || !are_recorded(profile, communicator)) return recorded;
  const Operation& operation = matching.collectives.operation(*own);
  const std::vector<int>& members = profile.communicators[communicator].members;
  if (operation.arrivals.size() == members.size()) return recorded;
  switch (kind_of_collective(at(profile, call))) {
    case CallKind::one_to_all:
      return operation.root == nullptr ? Wait{WaitState::late_root, to_the_end_ns} : recorded;
    case CallKind::all_to_one:
      if (operation.root == own) return {WaitState::early_root, to_the_end_ns};
      return operation.root == nullptr ? Wait{WaitState::late_root, to_the_end_ns} : recorded;
    case CallKind::prefix:
      if (!lacks_one_before(operation, *own, members, profile.ranks[call.rank].rank)) return recorded;
      return {WaitState::late_member, to_the_end_ns};
    case CallKind::all_to_all:
    case CallKind::loose_collective:
    case CallKind::window_collective:
      return {WaitState::late_member, to_the_end_ns};
    default:
      return recorded;
  }
}

Wait open_wait(const Matching& matching, EventId call, const Wait& recorded) {
  switch (profile::facts(at(matching.profile, call)).kind) {
    case CallKind::receive:
    case CallKind::probe:
      return open_receive(matching, call);
    case CallKind::send:
      return open_send(matching, call);
    case CallKind::exchange:
      return exchanging(matching, call, recorded);
    case CallKind::wait:
      return open_request(matching, call);
    case CallKind::all_to_all:
    case CallKind::one_to_all:
    case CallKind::all_to_one:
    case CallKind::prefix:
    case CallKind::loose_collective:
    case CallKind::window_collective:
      return open_collective(matching, call, recorded);
    case CallKind::window_start:
    case CallKind::window_complete:
    case CallKind::window_wait:
      return in_epoch(matching, call, recorded);
    default:
      return recorded;
  }
}

}  // namespace loadshare::waiting
