#include "models/waiting/open_request.hpp"

#include <algorithm>
#include <optional>
#include <unordered_set>

#include "models/waiting/late_member.hpp"
#include "models/waiting/late_partner.hpp"
#include "models/waiting/open_partner.hpp"
#include "models/waiting/transfers.hpp"
#include "runtime/profile/calls.hpp"

namespace loadshare::waiting {
namespace {

using profile::CallId;
using profile::CallKind;
using profile::Event;
using profile::Part;

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

/// The calls whose requests were under way at the end, in their order.
std::vector<EventId> starts_under_way(const std::vector<Event>& events, std::uint32_t rank) {
  std::unordered_set<std::uint32_t> over;
  for (const Event& event : events)
    if (is_end_of_request(event)) over.insert(event.request);
  std::vector<EventId> starts;
  for (std::uint32_t i = 0; i < events.size(); ++i)
    if (is_start(events[i]) && !over.contains(events[i].request)) starts.push_back({rank, i});
  return starts;
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

bool is_short_send(const Event& start) {
  return profile::facts(start).kind == CallKind::send_start && !is_surely_held(start);
}

CallMessages messages_of(const Matching& matching, const std::vector<EventId>& starts) {
  CallMessages messages;
  for (const EventId start : starts)
    for (const Message* message : {matching.messages.sent_by(start), matching.messages.taken_by(start)})
      if (message != nullptr) messages.push_back(message);
  return messages;
}

}  // namespace

Wait open_request(const Matching& matching, EventId wait) {
  const profile::RankProfile& rank = matching.profile.ranks[wait.rank];
  if (rank.calls_of_other_threads > 0) return {};
  const Event& call = at(matching.profile, wait);
  const std::vector<EventId> starts = starts_under_way(rank.events, wait.rank);
  std::optional<Wait> surely;
  std::optional<Wait> perhaps;
  for (const EventId start : starts) {
    std::optional<Wait>& until = is_short_send(at(matching.profile, start)) ? perhaps : surely;
    until = sooner(until, wait_for(matching, start, call));
  }
  Wait until = surely ? *surely : perhaps.value_or(Wait{});
  if (until)
    until.moving_ns = moved_ns(matching, wait.rank, messages_of(matching, starts), call.begin_ns,
                               std::min(until.until_ns, call.end_ns));
  return until;
}

}  // namespace loadshare::waiting
