#include "models/efficiency/waiting/wait_states.hpp"

#include <cmath>
#include <numeric>

#include "base/names.hpp"
#include "models/efficiency/waiting/members.hpp"
#include "models/efficiency/waiting/open_calls.hpp"
#include "profiler/calls.hpp"

namespace loadshare::waiting {
namespace {

using profile::CallKind;
using profile::Event;
using profile::SendMode;

/// MPI_Win_start waits until its targets have posted, or leaves that to MPI_Win_complete; MPI_Win_wait waits
/// until every origin has completed.
Wait late_epoch(const Matching& matching, EventId call) {
  const auto latest_ns = matching.epochs.latest_partner_ns(call);
  if (!latest_ns) return {};
  return {WaitState::late_epoch, *latest_ns};
}

/// What the requests that `completion` completed were waited for within `in`: the completion itself, or the
/// tests in vain before it. All of them until the last partner came; MPI_Waitany, MPI_Waitsome and their
/// tests until the first.
Wait late_request(const Matching& matching, std::uint32_t rank, const Call& completion,
                  const profile::Event& in);

bool is_send(const Matching& matching, EventId start) {
  return start && profile::facts(at(matching.profile, start)).kind == CallKind::send_start;
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

/// The same of a call that sends one message and receives another.
Wait late_exchange(const Matching& matching, std::uint32_t rank, const Call& call) {
  const EventId id{rank, call.index};
  const Company company = call.parts.empty() ? Company::sends_alone : Company::others_too;
  Wait wait = longer(late_sender(matching, id), late_receiver(matching, id, call.event, company));
  wait.moving_ns = moved_ns(matching, rank, messages_of(matching, rank, call), call.event.begin_ns,
                            std::min(wait.until_ns, call.event.end_ns));
  return wait;
}

bool is_for_one_message(const profile::Profile& profile, EventId id) {
  switch (profile::facts(at(profile, id)).kind) {
    case CallKind::send:
    case CallKind::send_start:
    case CallKind::receive:
    case CallKind::receive_start:
      return true;
    case CallKind::wait: {
      const std::vector<Event>& events = profile.ranks[id.rank].events;
      return id.event + 2 >= events.size() || events[id.event + 2].part == profile::Part::call;
    }
    default:
      return false;
  }
}

void add_movements(const Matching& matching, std::uint32_t rank, const Message& message,
                   std::vector<Span>& movements) {
  if (!message.posted) return;
  const profile::Profile& profile = matching.profile;
  const std::int64_t both_ns =
      std::max(at(profile, message.sent).begin_ns, at(profile, message.posted).begin_ns);
  const bool is_ours = message.sent.rank == rank;
  for (const EventId other :
       {is_ours ? message.posted : message.sent, is_ours ? message.completed : message.released}) {
    if (!other || !is_for_one_message(profile, other)) continue;
    const Event& call = at(profile, other);
    movements.push_back({std::max(call.begin_ns, both_ns), call.end_ns});
  }
}

SendMode mode_of(const Matching& matching, EventId send) {
  return profile::facts(at(matching.profile, send)).mode;
}

const SendLimits& limits_of(const Matching& matching, EventId send) {
  return matching.limits_between(send.rank, at(matching.profile, send).peer);
}

/// What the target of a one-sided call, or another's lock there, kept.
Wait late_target(const Matching& matching, EventId call) {
  Wait wait;
  if (const auto held_ns = matching.passive_targets.held_until_ns(call))
    wait = {WaitState::lock_taken, *held_ns};
  if (const auto entered_ns = matching.passive_targets.entered_ns(call))
    wait = longer(wait, {WaitState::late_target, *entered_ns});
  return wait;
}

/// And what kept the call then.
Wait with_progress(const Matching& matching, std::uint32_t rank, const Call& ended, const Event& in,
                   Wait wait) {
  const std::int64_t from_ns = wait ? std::max(in.begin_ns, wait.until_ns) : in.begin_ns;
  wait.behind = progress_of(matching, rank, ended, in, from_ns);
  return wait;
}

/// What the tests in vain before `success` waited for, by what it found.
Wait wait_until_found(const Matching& matching, EventId success, const Event& in_vain) {
  const Call found = call_at(matching.profile.ranks[success.rank].events, success.event);
  switch (found.kind()) {
    case CallKind::test:
      return with_progress(matching, success.rank, found, in_vain,
                           late_request(matching, success.rank, found, in_vain));
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
    case CallKind::neighbors:
    case CallKind::loose_collective:
    case CallKind::making_group:
    case CallKind::window_collective:
      return late_member(matching, id, call.event);
    case CallKind::window_start:
    case CallKind::window_complete:
    case CallKind::window_wait:
      return late_epoch(matching, id);
    case CallKind::window_lock:
    case CallKind::window_transfer:
      return late_target(matching, id);
    default:
      return {};
  }
}

/// Of so much of a call's time, what passed inside MPI.
std::int64_t inside_of(std::int64_t part_ns, const Event& event) {
  const std::int64_t length_ns = event.end_ns - event.begin_ns;
  const std::int64_t inside_ns = std::max<std::int64_t>(0, event.inside_ns);
  if (event.repeats == 0 || inside_ns >= length_ns) return part_ns;
  if (part_ns >= length_ns) return inside_ns;
  const double share = static_cast<double>(inside_ns) / static_cast<double>(length_ns);
  return static_cast<std::int64_t>(std::llround(share * static_cast<double>(part_ns)));
}

}  // namespace

Company company_of(const Matching& matching, std::uint32_t rank, const Call& completion) {
  const bool sends_alone = std::ranges::all_of(completion.parts, [&](const Event& part) {
    return is_send(matching, matching.messages.started(rank, part.request));
  });
  return sends_alone ? Company::sends_alone : Company::others_too;
}

bool may_wait(const Matching& matching, EventId send, Company company) {
  if (is_surely_eager(matching, send)) return false;
  return company == Company::sends_alone || is_surely_held(matching, send);
}

bool goes_on_with_the_first(const Event& event) {
  using profile::CallId;
  const auto call = static_cast<CallId>(event.call);
  return call == CallId::Waitany || call == CallId::Waitsome || call == CallId::Testany ||
         call == CallId::Testsome;
}

CallMessages messages_of(const Matching& matching, std::uint32_t rank, const Call& call) {
  CallMessages messages;
  const auto add = [&](EventId start) {
    for (const Message* message : {matching.messages.sent_by(start), matching.messages.taken_by(start)})
      if (message != nullptr) messages.push_back(message);
  };
  if (call.kind() != CallKind::wait && call.kind() != CallKind::test) add({rank, call.index});
  for (const Event& part : call.parts)
    if (const EventId start = matching.messages.started(rank, part.request)) add(start);
  return messages;
}

std::vector<Span> movements_of(const Matching& matching, std::uint32_t rank, const CallMessages& messages) {
  std::vector<Span> movements;
  for (const Message* message : messages) add_movements(matching, rank, *message, movements);
  return movements;
}

std::int64_t moved_ns(const Matching& matching, std::uint32_t rank, const CallMessages& messages,
                      std::int64_t begin_ns, std::int64_t end_ns) {
  return covered_ns(movements_of(matching, rank, messages), {begin_ns, end_ns});
}

bool is_surely_held(const Matching& matching, EventId send) {
  const SendMode mode = mode_of(matching, send);
  return mode == SendMode::synchronous ||
         (mode == SendMode::standard &&
          at(matching.profile, send).bytes > limits_of(matching, send).held_bytes);
}

bool is_surely_eager(const Matching& matching, EventId send) {
  const SendMode mode = mode_of(matching, send);
  return mode == SendMode::buffered || mode == SendMode::ready ||
         (mode == SendMode::standard &&
          at(matching.profile, send).bytes <= limits_of(matching, send).eager_bytes);
}

Wait late_sender(const Matching& matching, EventId receive) {
  const Message* message = matching.messages.taken_by(receive);
  if (message == nullptr) return {};
  return {WaitState::late_sender, at(matching.profile, message->sent).begin_ns};
}

Wait late_receiver(const Matching& matching, EventId send, const Event& in, Company company) {
  const Message* message = matching.messages.sent_by(send);
  if (message == nullptr || !message->posted) return {};
  if (!may_wait(matching, send, company)) return {};
  const std::int64_t posted_ns = at(matching.profile, message->posted).begin_ns;
  if (in.end_ns <= posted_ns) return {};
  return {WaitState::late_receiver, posted_ns};
}

Wait wait_of(const Matching& matching, std::uint32_t rank, const Call& call) {
  const EventId id{rank, call.index};
  if (call.event.repeats > 0) return wait_of_tests(matching, id, call.event);
  const Wait recorded = wait_of_ended(matching, rank, call);
  const Wait wait = is_open(matching.profile, id) ? open_wait(matching, id, recorded) : recorded;
  const bool may_last = call.kind() != CallKind::test;
  return may_last ? with_progress(matching, rank, call, call.event, wait) : wait;
}

std::int64_t idle_ns(const Wait& wait, const Event& event) {
  const std::int64_t length_ns = event.end_ns - event.begin_ns;
  if (length_ns <= 0) return 0;
  const std::int64_t until_ns = wait.state == WaitState::none ? event.begin_ns : wait.until_ns;
  const std::int64_t waited_ns = std::clamp<std::int64_t>(until_ns - event.begin_ns, 0, length_ns);
  const std::int64_t idle_ns = std::max<std::int64_t>(0, waited_ns - wait.moving_ns) + wait.behind.waited_ns;
  return inside_of(std::min(idle_ns, length_ns), event);
}

std::array<StateTime, 2> idle_by_state(const Wait& wait, const Event& event) {
  Wait before = wait;
  before.behind = {};
  const std::int64_t before_ns = idle_ns(before, event);
  return {{{wait.state, before_ns}, {WaitState::late_target, idle_ns(wait, event) - before_ns}}};
}

std::int64_t unsure_ns(const Wait& wait, const Event& event) {
  const std::int64_t rest_ns = std::max<std::int64_t>(0, event.inside_ns - idle_ns(wait, event));
  return std::min(rest_ns, inside_of(wait.behind.unsure_ns, event));
}

std::int64_t RankWaits::total_ns() const {
  return std::accumulate(by_state_ns.begin(), by_state_ns.end(), std::int64_t{0});
}

double granted_beside(profile::Portion own, const RankWaits& waits) {
  own.stolen_inside_ns = std::max<std::int64_t>(0, own.stolen_inside_ns - waits.told_ns);
  return granted_inside(own);
}

RankWaits waits_of(const Matching& matching, std::uint32_t rank, std::span<const Span> within) {
  RankWaits waits;
  for_each_call(matching.profile.ranks[rank].events, [&](const Call& call) {
    if (!begins_within(within, call.event)) return;
    const Wait wait = wait_of(matching, rank, call);
    for (const StateTime& one : idle_by_state(wait, call.event))
      waits.by_state_ns[static_cast<std::size_t>(one.state)] += one.length_ns;
    waits.stolen_ns += stolen_beside_ns(idle_ns(wait, call.event), call.event);
    waits.told_ns += call.event.stolen_ns;
  });
  return waits;
}

std::string_view name_of(WaitState state) {
  static constexpr Choices<WaitState, wait_states> names{{{"no waiting", WaitState::none},
                                                          {"late sender", WaitState::late_sender},
                                                          {"late receiver", WaitState::late_receiver},
                                                          {"wait at N x N", WaitState::late_member},
                                                          {"late root", WaitState::late_root},
                                                          {"early root", WaitState::early_root},
                                                          {"late neighbour", WaitState::late_neighbor},
                                                          {"late epoch", WaitState::late_epoch},
                                                          {"lock contention", WaitState::lock_taken},
                                                          {"wait for progress", WaitState::late_target},
                                                          {"tests in vain", WaitState::polling},
                                                          {"asleep or blocked", WaitState::asleep},
                                                          {"began late or ended early", WaitState::absent},
                                                          {"not told", WaitState::unknown}}};
  return name_among(names, state);
}

}  // namespace loadshare::waiting
