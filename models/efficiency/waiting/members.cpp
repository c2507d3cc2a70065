#include "models/efficiency/waiting/members.hpp"

#include <algorithm>

#include "profiler/calls.hpp"

namespace loadshare::waiting {
namespace {

using profile::CallKind;
using profile::Event;

CallKind kind_of_started(profile::CallId call) {
  using profile::CallId;
  switch (call) {
    case CallId::Ibcast:
    case CallId::Iscatter:
    case CallId::Iscatterv:
      return CallKind::one_to_all;
    case CallId::Igather:
    case CallId::Igatherv:
    case CallId::Ireduce:
      return CallKind::all_to_one;
    case CallId::Iscan:
    case CallId::Iexscan:
      return CallKind::prefix;
    case CallId::Ineighbor_allgather:
    case CallId::Ineighbor_allgatherv:
    case CallId::Ineighbor_alltoall:
    case CallId::Ineighbor_alltoallv:
    case CallId::Ineighbor_alltoallw:
      return CallKind::neighbors;
    default:
      return CallKind::all_to_all;
  }
}

/// Of those who have come before that instant; `from_ns` where none has.
std::int64_t latest_before(const Operation& operation, std::int64_t from_ns, std::int64_t end_ns) {
  if (operation.latest_ns <= end_ns) return std::max(from_ns, operation.latest_ns);
  for (const Arrival& arrival : operation.arrivals)
    if (arrival.begin_ns <= end_ns) from_ns = std::max(from_ns, arrival.begin_ns);
  return from_ns;
}

Wait one_to_all(const Operation& operation, const Arrival& own, const Event& in) {
  if (operation.root == nullptr) return {};
  if (operation.root != &own) return {WaitState::late_root, operation.root->begin_ns};
  return {WaitState::early_root, latest_before(operation, own.begin_ns, in.end_ns)};
}

Wait all_to_one(const Operation& operation, const Arrival& own, const profile::Event& in) {
  if (operation.root == &own) return {WaitState::early_root, operation.latest_ns};
  if (operation.root == nullptr || in.end_ns <= operation.root->begin_ns) return {};
  return {WaitState::late_root, operation.root->begin_ns};
}

}  // namespace

CallKind kind_of_collective(const profile::Event& event) {
  const CallKind kind = profile::facts(event).kind;
  return kind == CallKind::collective_start ? kind_of_started(static_cast<profile::CallId>(event.call))
                                            : kind;
}

Awaited awaited_by(const Matching& matching, EventId call) {
  const Arrival* own = matching.collectives.arrival(call);
  if (own == nullptr) return Awaited::nobody;
  const Arrival* root = matching.collectives.operation(*own).root;
  switch (kind_of_collective(at(matching.profile, call))) {
    case CallKind::one_to_all:
      return root == nullptr || root == own ? Awaited::nobody : Awaited::root;
    case CallKind::all_to_one:
      return root == own ? Awaited::all : Awaited::nobody;
    case CallKind::prefix:
      return Awaited::those_before;
    case CallKind::neighbors:
      return Awaited::sources;
    case CallKind::loose_collective:
      return Awaited::nobody;
    default:
      return Awaited::all;
  }
}

std::vector<const Arrival*> awaited_members(const Matching& matching, EventId call) {
  const Awaited awaited = awaited_by(matching, call);
  if (awaited == Awaited::nobody) return {};
  const Arrival* own = matching.collectives.arrival(call);
  const Operation& operation = matching.collectives.operation(*own);
  const auto parts = call_at(matching.profile.ranks[call.rank].events, call.event).parts;
  const auto is_source = [&](const Arrival& other) {
    return std::ranges::find(parts, matching.profile.ranks[other.call.rank].rank, &Event::peer) !=
           parts.end();
  };
  std::vector<const Arrival*> members;
  for (const Arrival& other : operation.arrivals)
    if (awaited == Awaited::all || (awaited == Awaited::root && &other == operation.root) ||
        (awaited == Awaited::those_before && &other < own) ||
        (awaited == Awaited::sources && is_source(other)))
      members.push_back(&other);
  return members;
}

Wait late_member(const Matching& matching, EventId call, const profile::Event& in) {
  const Arrival* own = matching.collectives.arrival(call);
  if (own == nullptr) return {};
  const Operation& operation = matching.collectives.operation(*own);
  switch (kind_of_collective(at(matching.profile, call))) {
    case CallKind::one_to_all:
      return one_to_all(operation, *own, in);
    case CallKind::all_to_one:
      return all_to_one(operation, *own, in);
    case CallKind::prefix:
      return {WaitState::late_member, own->latest_before_ns};
    case CallKind::neighbors:
      if (!own->latest_source_ns) return {};
      return {WaitState::late_neighbor, *own->latest_source_ns};
    case CallKind::loose_collective:
      return {WaitState::late_member, latest_before(operation, in.begin_ns, in.end_ns)};
    case CallKind::all_to_all:
    case CallKind::making_group:
    case CallKind::window_collective:
      return {WaitState::late_member, operation.latest_ns};
    default:
      return {};
  }
}

}  // namespace loadshare::waiting
