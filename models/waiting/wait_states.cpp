#include "models/waiting/wait_states.hpp"

#include <algorithm>
#include <numeric>

#include "models/waiting/late_epoch.hpp"
#include "models/waiting/late_member.hpp"
#include "models/waiting/late_partner.hpp"
#include "runtime/profile/calls.hpp"

namespace loadshare::waiting {
namespace {

using profile::CallKind;
using profile::Event;
using profile::Part;

/// What the request behind a part of a wait was waited for. `in` is the wait.
Wait wait_for_request(const Matching& matching, std::uint32_t rank, const Event& part, const Event& in) {
  const EventId start = matching.messages.started(rank, part.request);
  if (!start) return {};
  switch (profile::facts(at(matching.profile, start)).kind) {
    case CallKind::receive_start:
      return late_sender(matching, start);
    case CallKind::send_start:
      return late_receiver(matching, start, in);
    default:
      return late_member(matching, start, in);
  }
}

bool goes_on_with_the_first(const Event& event) {
  const auto call = static_cast<profile::CallId>(event.call);
  return call == profile::CallId::Waitany || call == profile::CallId::Waitsome;
}

Wait wait_for_requests(const Matching& matching, std::uint32_t rank, const Call& call) {
  Wait all;
  Wait first;
  bool is_first = true;
  for (const Event& part : call.parts) {
    const Wait one = wait_for_request(matching, rank, part, call.event);
    all = longer(all, one);
    first = is_first ? one : shorter(first, one);
    is_first = false;
  }
  return goes_on_with_the_first(call.event) ? first : all;
}

}  // namespace

Wait wait_of(const Matching& matching, std::uint32_t rank, const Call& call) {
  const EventId id{rank, call.index};
  if (call.event.repeats > 0) return {WaitState::polling, call.event.end_ns};
  switch (call.kind()) {
    case CallKind::receive:
    case CallKind::probe:
      return late_sender(matching, id);
    case CallKind::send:
      return late_receiver(matching, id, call.event);
    case CallKind::exchange:
      return longer(late_sender(matching, id), late_receiver(matching, id, call.event));
    case CallKind::wait:
      return wait_for_requests(matching, rank, call);
    case CallKind::all_to_all:
    case CallKind::one_to_all:
    case CallKind::all_to_one:
    case CallKind::prefix:
    case CallKind::window_collective:
      return late_member(matching, id, call.event);
    case CallKind::window_start:
    case CallKind::window_complete:
    case CallKind::window_wait:
      return late_epoch(matching, id);
    default:
      return {};
  }
}

std::int64_t idle_ns(const Wait& wait, const Event& event) {
  if (!wait) return 0;
  if (wait.state == WaitState::polling) return std::max<std::int64_t>(0, event.inside_ns);
  return std::clamp<std::int64_t>(wait.until_ns - event.begin_ns, 0,
                                  std::max<std::int64_t>(0, event.end_ns - event.begin_ns));
}

std::int64_t RankWaits::total_ns() const {
  return std::accumulate(by_state_ns.begin(), by_state_ns.end(), std::int64_t{0});
}

RankWaits waits_of(const Matching& matching, std::uint32_t rank) {
  RankWaits waits;
  for_each_call(matching.profile.ranks[rank].events, [&](const Call& call) {
    const Wait wait = wait_of(matching, rank, call);
    waits.by_state_ns[static_cast<std::size_t>(wait.state)] += idle_ns(wait, call.event);
  });
  return waits;
}

std::string_view name_of(WaitState state) {
  switch (state) {
    case WaitState::none:
      return "no waiting";
    case WaitState::late_sender:
      return "late sender";
    case WaitState::late_receiver:
      return "late receiver";
    case WaitState::late_member:
      return "wait at N x N";
    case WaitState::late_root:
      return "late root";
    case WaitState::early_root:
      return "early root";
    case WaitState::late_epoch:
      return "late epoch";
    case WaitState::polling:
      return "tests in vain";
  }
  return "unknown";
}

}  // namespace loadshare::waiting
