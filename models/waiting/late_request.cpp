#include "models/waiting/late_request.hpp"

#include <algorithm>

#include "models/waiting/late_member.hpp"
#include "models/waiting/late_partner.hpp"
#include "models/waiting/transfers.hpp"
#include "runtime/profile/calls.hpp"

namespace loadshare::waiting {
namespace {

using profile::CallKind;
using profile::Event;

bool is_send(const Matching& matching, EventId start) {
  return start && profile::facts(at(matching.profile, start)).kind == CallKind::send_start;
}

Company company_of(const Matching& matching, std::uint32_t rank, const Call& completion) {
  const bool sends_alone = std::ranges::all_of(completion.parts, [&](const Event& part) {
    return is_send(matching, matching.messages.started(rank, part.request));
  });
  return sends_alone ? Company::sends_alone : Company::others_too;
}

/// What the request behind a part of a completion was waited for.
Wait wait_for(const Matching& matching, EventId start, const Event& completion, Company company) {
  if (!start) return {};
  switch (profile::facts(at(matching.profile, start)).kind) {
    case CallKind::receive_start:
      return late_sender(matching, start);
    case CallKind::send_start:
      return late_receiver(matching, start, completion, company);
    default:
      return late_member(matching, start, completion);
  }
}

bool goes_on_with_the_first(const Event& event) {
  using profile::CallId;
  const auto call = static_cast<CallId>(event.call);
  return call == CallId::Waitany || call == CallId::Waitsome || call == CallId::Testany ||
         call == CallId::Testsome;
}

CallMessages messages_of(const Matching& matching, std::uint32_t rank, const Call& completion) {
  CallMessages messages;
  for (const Event& part : completion.parts) {
    const EventId start = matching.messages.started(rank, part.request);
    if (!start) continue;
    for (const Message* message : {matching.messages.sent_by(start), matching.messages.taken_by(start)})
      if (message != nullptr) messages.push_back(message);
  }
  return messages;
}

}  // namespace

Wait late_request(const Matching& matching, std::uint32_t rank, const Call& completion, const Event& in) {
  const Company company = company_of(matching, rank, completion);
  Wait all;
  Wait first;
  bool is_first = true;
  for (const Event& part : completion.parts) {
    const EventId start = matching.messages.started(rank, part.request);
    const Wait one = wait_for(matching, start, completion.event, company);
    all = longer(all, one);
    first = is_first ? one : shorter(first, one);
    is_first = false;
  }
  Wait wait = goes_on_with_the_first(completion.event) ? first : all;
  if (wait && completion.parts.size() > 1)
    wait.moving_ns = moved_ns(matching, rank, messages_of(matching, rank, completion), in.begin_ns,
                              std::min(wait.until_ns, in.end_ns));
  return wait;
}

Wait late_exchange(const Matching& matching, std::uint32_t rank, const Call& call) {
  const EventId id{rank, call.index};
  const Company company = call.parts.empty() ? Company::sends_alone : Company::others_too;
  Wait wait = longer(late_sender(matching, id), late_receiver(matching, id, call.event, company));
  CallMessages messages;
  for (const Message* message : {matching.messages.sent_by(id), matching.messages.taken_by(id)})
    if (message != nullptr) messages.push_back(message);
  wait.moving_ns =
      moved_ns(matching, rank, messages, call.event.begin_ns, std::min(wait.until_ns, call.event.end_ns));
  return wait;
}

}  // namespace loadshare::waiting
