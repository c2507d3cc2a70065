#include "models/waiting/late_member.hpp"

#include <algorithm>

#include "runtime/profile/calls.hpp"

namespace loadshare::waiting {
namespace {

using profile::CallKind;

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
      return CallKind::other;
    default:
      return CallKind::all_to_all;
  }
}

Wait one_to_all(const Operation& operation, const Arrival& own, const profile::Event& in) {
  if (operation.root == nullptr) return {};
  if (operation.root != &own) return {WaitState::late_root, operation.root->begin_ns};
  std::int64_t latest_ns = own.begin_ns;
  for (const Arrival& arrival : operation.arrivals)
    if (arrival.begin_ns <= in.end_ns) latest_ns = std::max(latest_ns, arrival.begin_ns);
  return {WaitState::early_root, latest_ns};
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
    case CallKind::all_to_all:
    case CallKind::window_collective:
      return {WaitState::late_member, operation.latest_ns};
    default:
      return {};  // neighbours alone: not everybody waits for everybody
  }
}

}  // namespace loadshare::waiting
