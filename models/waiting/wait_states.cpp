#include "models/waiting/wait_states.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "models/waiting/late_epoch.hpp"
#include "models/waiting/late_member.hpp"
#include "models/waiting/late_partner.hpp"
#include "models/waiting/late_request.hpp"
#include "models/waiting/open_call.hpp"
#include "models/waiting/open_partner.hpp"

namespace loadshare::waiting {
namespace {

using profile::CallKind;
using profile::Event;

/// What the tests in vain before `success` waited for, by what it found.
Wait wait_until_found(const Matching& matching, EventId success, const Event& in_vain) {
  const Call found = call_at(matching.profile.ranks[success.rank].events, success.event);
  switch (found.kind()) {
    case CallKind::test:
      return late_request(matching, success.rank, found, in_vain);
    case CallKind::probe_test:
      return late_sender(matching, success);
    default:
      return late_epoch(matching, success);
  }
}

Wait wait_of_tests(const Matching& matching, EventId in_vain, const Event& event) {
  const EventId success = matching.polling.success_of(in_vain);
  const Wait known = success ? wait_until_found(matching, success, event) : Wait{};
  return known ? known : Wait{WaitState::polling, event.end_ns};
}

Wait wait_of_ended(const Matching& matching, std::uint32_t rank, const Call& call) {
  const EventId id{rank, call.index};
  switch (call.kind()) {
    case CallKind::receive:
    case CallKind::probe:
      return late_sender(matching, id);
    case CallKind::send:
      return late_receiver(matching, id, call.event);
    case CallKind::exchange:
      return late_exchange(matching, rank, call);
    case CallKind::wait:
      return late_request(matching, rank, call, call.event);
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

}  // namespace

Wait wait_of(const Matching& matching, std::uint32_t rank, const Call& call) {
  const EventId id{rank, call.index};
  if (call.event.repeats > 0) return wait_of_tests(matching, id, call.event);
  const Wait told = wait_of_ended(matching, rank, call);
  return is_open(matching.profile, id) ? open_wait(matching, id, told) : told;
}

std::int64_t idle_ns(const Wait& wait, const Event& event) {
  const std::int64_t length_ns = event.end_ns - event.begin_ns;
  if (!wait || length_ns <= 0) return 0;
  const std::int64_t waited_ns = std::clamp<std::int64_t>(wait.until_ns - event.begin_ns, 0, length_ns);
  const std::int64_t idle_ns = std::max<std::int64_t>(0, waited_ns - wait.moving_ns);
  const std::int64_t inside_ns = std::max<std::int64_t>(0, event.inside_ns);
  if (event.repeats == 0 || inside_ns >= length_ns) return idle_ns;
  if (idle_ns == length_ns) return inside_ns;
  const double share = static_cast<double>(inside_ns) / static_cast<double>(length_ns);
  return static_cast<std::int64_t>(std::llround(share * static_cast<double>(idle_ns)));
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
    case WaitState::asleep:
      return "asleep or blocked";
    case WaitState::absent:
      return "began late or ended early";
  }
  return "unknown";
}

}  // namespace loadshare::waiting
