#include "models/efficiency/waiting/collectives.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace loadshare::waiting {
namespace {

using profile::CallKind;
using profile::Event;

/// The order in which a call counts: its communicator's, or that of the windows on it. Nothing: no
/// collective.
std::optional<std::uint32_t> sequence_of(const Call& call) {
  if (!is_collective(call.kind())) return std::nullopt;
  const std::uint32_t communicator = call.event.communicator;
  return 2 * communicator + (call.kind() == CallKind::window_collective ? 1 : 0);
}

}  // namespace

bool is_collective(CallKind kind) {
  switch (kind) {
    case CallKind::all_to_all:
    case CallKind::one_to_all:
    case CallKind::all_to_one:
    case CallKind::prefix:
    case CallKind::collective_start:
    case CallKind::window_collective:
      return true;
    default:
      return false;
  }
}

Collectives::Collectives(const profile::Profile& profile) : profile_(profile) {
  const Ranks ranks(profile);
  std::vector<Calls> calls;
  for (std::uint32_t rank = 0; rank < profile.ranks.size(); ++rank) {
    arrival_of_.emplace_back(profile.ranks[rank].events.size(), EventId::none);
    calls.push_back(calls_of(rank));
  }
  for (std::uint32_t i = 0; i < profile.communicators.size(); ++i) {
    const std::vector<int>& members = profile.communicators[i].members;
    if (!are_all_recorded(members, ranks)) continue;
    match_sequence(2 * i, members, ranks, calls);
    match_sequence(2 * i + 1, members, ranks, calls);
  }
  finish_operations();
}

bool Collectives::are_all_recorded(const std::vector<int>& members, const Ranks& ranks) const {
  return std::ranges::none_of(members, [&](int member) {
    const std::uint32_t rank = ranks.position(member);
    return rank != EventId::none && profile_.ranks[rank].calls_of_other_threads > 0;
  });
}

Collectives::Calls Collectives::calls_of(std::uint32_t rank) const {
  Calls calls;
  for_each_call(profile_.ranks[rank].events, [&](const Call& call) {
    if (const auto sequence = sequence_of(call)) calls[*sequence].push_back(call.index);
  });
  return calls;
}

void Collectives::match_sequence(std::uint32_t sequence, const std::vector<int>& members, const Ranks& ranks,
                                 const std::vector<Calls>& calls) {
  std::vector<std::pair<std::uint32_t, const std::vector<std::uint32_t>*>> present;
  std::size_t count = 0;
  for (const int member : members) {
    const std::uint32_t rank = ranks.position(member);
    if (rank == EventId::none) continue;
    const auto found = calls[rank].find(sequence);
    if (found == calls[rank].end()) continue;
    present.emplace_back(rank, &found->second);
    count = std::max(count, found->second.size());
  }
  std::vector<EventId> operation;
  for (std::size_t n = 0; n < count; ++n) {
    operation.clear();
    for (const auto& [rank, events] : present)
      if (n < events->size()) operation.push_back({rank, (*events)[n]});
    if (!add_operation(operation)) {
      ++contradictions_;
      return;
    }
  }
}

/// Whether the calls belong together; else nothing is added.
bool Collectives::add_operation(const std::vector<EventId>& calls) {
  const Event& first = at(profile_, calls.front());
  const bool is_same = std::all_of(calls.begin(), calls.end(), [&](EventId id) {
    return at(profile_, id).call == first.call && at(profile_, id).peer == first.peer;
  });
  if (!is_same) return false;
  first_arrivals_.push_back(arrivals_.size());
  std::int64_t latest_ns = 0;
  for (const EventId id : calls) {
    const std::int64_t begin_ns = at(profile_, id).begin_ns;
    const bool is_first = id == calls.front();
    arrival_of_[id.rank][id.event] = static_cast<std::uint32_t>(arrivals_.size());
    arrivals_.push_back({id, begin_ns, is_first ? begin_ns : latest_ns,
                         static_cast<std::uint32_t>(first_arrivals_.size() - 1)});
    latest_ns = is_first ? begin_ns : std::max(latest_ns, begin_ns);
  }
  operations_.emplace_back().latest_ns = latest_ns;
  return true;
}

/// The arrivals have come to rest, so that they can be pointed at.
void Collectives::finish_operations() {
  for (std::size_t i = 0; i < operations_.size(); ++i) {
    const std::size_t first = first_arrivals_[i];
    const std::size_t end = i + 1 < operations_.size() ? first_arrivals_[i + 1] : arrivals_.size();
    operations_[i].arrivals = std::span<const Arrival>(arrivals_).subspan(first, end - first);
    const std::int32_t root = at(profile_, arrivals_[first].call).peer;
    for (const Arrival& arrival : operations_[i].arrivals)
      if (profile_.ranks[arrival.call.rank].rank == root) operations_[i].root = &arrival;
  }
}

const Arrival* Collectives::arrival(EventId call) const {
  const std::uint32_t index = arrival_of_[call.rank][call.event];
  return index == EventId::none ? nullptr : &arrivals_[index];
}

}  // namespace loadshare::waiting
