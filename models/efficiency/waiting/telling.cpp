#include "models/efficiency/waiting/telling.hpp"

#include <algorithm>
#include <cmath>

#include "models/efficiency/waiting/members.hpp"
#include "models/efficiency/waiting/open_calls.hpp"
#include "models/efficiency/waiting/wait_states.hpp"
#include "profiler/calls.hpp"

namespace loadshare::waiting {
namespace {

using profile::CallKind;
using profile::Event;
using profile::Part;

/// From or to MPI_PROC_NULL there is no message. A call that failed names nobody, either.
bool is_told_of_receive(const Matching& matching, EventId receive) {
  return at(matching.profile, receive).peer < 0 || matching.messages.taken_by(receive) != nullptr;
}

/// A send whose receive is posted before or after it has not waited for it, and a long one in which that
/// happens has. A short one was kept by something else: full buffers, or its own host.
bool is_told_of_send(const Matching& matching, EventId send, const Event& in) {
  const Event& event = at(matching.profile, send);
  if (event.peer < 0 || profile::facts(event).mode == profile::SendMode::buffered) return true;
  const Message* message = matching.messages.sent_by(send);
  const bool is_eager = is_surely_eager(matching, send);
  if (message == nullptr || !message->posted) return is_eager;
  const std::int64_t posted_ns = at(matching.profile, message->posted).begin_ns;
  return !is_eager || posted_ns <= in.begin_ns || posted_ns >= in.end_ns;
}

bool has_all(const Matching& matching, std::uint32_t communicator, const Operation& operation) {
  return operation.arrivals.size() == matching.profile.communicators[communicator].members.size();
}

/// Without its root an operation tells nothing of the others.
bool has_root(const Operation& operation, CallKind kind) {
  return (kind != CallKind::one_to_all && kind != CallKind::all_to_one) || operation.root != nullptr;
}

bool is_told_of_collective(const Matching& matching, EventId call) {
  const Arrival* arrival = matching.collectives.arrival(call);
  if (arrival == nullptr) return false;
  const Event& event = at(matching.profile, call);
  const Operation& operation = matching.collectives.operation(*arrival);
  const CallKind kind = kind_of_collective(event);
  if (kind == CallKind::neighbors) return arrival->latest_source_ns.has_value();
  return has_root(operation, kind) && has_all(matching, event.communicator, operation);
}

bool is_told_of_exchange(const Matching& matching, EventId id, const Call& call) {
  const bool takes_one = std::ranges::any_of(
      call.parts, [](const Event& part) { return part.part == Part::received && part.peer >= 0; });
  const bool is_taken = !takes_one || matching.messages.taken_by(id) != nullptr;
  const bool has_company = takes_one && is_taken;
  return is_taken && (has_company || is_told_of_send(matching, id, call.event));
}

bool is_told_of_request(const Matching& matching, EventId start, const Event& completion, bool is_alone) {
  if (!start) return false;
  switch (profile::facts(at(matching.profile, start)).kind) {
    case CallKind::send_start:
      return !is_alone || is_told_of_send(matching, start, completion);
    case CallKind::receive_start:
      return matching.messages.taken_by(start) != nullptr;
    default:
      return is_told_of_collective(matching, start);
  }
}

/// Without parts it completed what is not recorded, as what accesses a file.
bool is_told_of_wait(const Matching& matching, std::uint32_t rank, const Call& call) {
  return !call.parts.empty() && std::ranges::all_of(call.parts, [&](const Event& part) {
    return is_told_of_request(matching, matching.messages.started(rank, part.request), call.event,
                              call.parts.size() == 1);
  });
}

bool is_told_of_ended(const Matching& matching, EventId id, const Call& call) {
  switch (call.kind()) {
    case CallKind::receive:
    case CallKind::probe:
      return is_told_of_receive(matching, id);
    case CallKind::send:
      return is_told_of_send(matching, id, call.event);
    case CallKind::exchange:
      return is_told_of_exchange(matching, id, call);
    case CallKind::wait:
      return is_told_of_wait(matching, id.rank, call);
    case CallKind::window_start:
    case CallKind::window_complete:
    case CallKind::window_wait:
      return matching.epochs.latest_partner_ns(id).has_value();
    case CallKind::window_lock:
    case CallKind::window_transfer:
      return !matching.passive_targets.is_passive(id) ||
             are_recorded(matching.profile, call.event.communicator);
    case CallKind::other:
      return false;
    default:
      return !is_collective(call.kind()) || call.kind() == CallKind::collective_start ||
             is_told_of_collective(matching, id);
  }
}

/// Whether it is known of each member whether it came.
bool tells_all_members(const Matching& matching, EventId call) {
  const std::uint32_t communicator = at(matching.profile, call).communicator;
  const Arrival* own = matching.collectives.arrival(call);
  return are_recorded(matching.profile, communicator) ||
         (own != nullptr && has_all(matching, communicator, matching.collectives.operation(*own)));
}

/// Of a call that the run ended in.
bool is_told_of_open(const Matching& matching, EventId id, const Call& call) {
  const auto is_known = [&](EventId member) {
    return !is_collective(profile::facts(at(matching.profile, member)).kind) ||
           tells_all_members(matching, member);
  };
  if (!wait_of(matching, id.rank, call) || !is_known(id)) return false;
  return call.kind() != CallKind::wait ||
         std::ranges::all_of(starts_under_way(matching.profile, id.rank), is_known);
}

bool is_told(const Matching& matching, std::uint32_t rank, const Call& call) {
  const EventId id{rank, call.index};
  if (call.event.repeats > 0) return true;  // `polling` tells of it
  if (is_open(matching.profile, id)) return is_told_of_open(matching, id, call);
  return is_told_of_ended(matching, id, call);
}

}  // namespace

std::int64_t untold_ns(const Matching& matching, std::uint32_t rank, const Call& call, const Wait& wait) {
  const std::int64_t waited_ns = idle_ns(wait, call.event);
  const std::int64_t rest_ns = call.event.inside_ns - waited_ns;
  if (rest_ns <= 0) return 0;
  const std::int64_t moved_ns = rest_ns - stolen_beside_ns(waited_ns, call.event);
  if (!is_told(matching, rank, call)) return moved_ns;
  const double share = static_cast<double>(unsure_ns(wait, call.event)) / static_cast<double>(rest_ns);
  return std::llround(share * static_cast<double>(moved_ns));
}

std::map<std::string_view, double> untold_s(const Matching& matching) {
  std::map<std::string_view, double> sums;
  for (std::uint32_t rank = 0; rank < matching.profile.ranks.size(); ++rank)
    for_each_call(matching.profile.ranks[rank].events, [&](const Call& call) {
      const std::int64_t untold = untold_ns(matching, rank, call, wait_of(matching, rank, call));
      if (untold > 0) sums[profile::facts(call.event).name] += static_cast<double>(untold) * 1e-9;
    });
  return sums;
}

}  // namespace loadshare::waiting
