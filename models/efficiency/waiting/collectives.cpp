#include "models/efficiency/waiting/collectives.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace loadshare::waiting {
namespace {

using profile::CallKind;
using profile::Event;

/// The calls on one communicator that count together.
enum Order : std::uint32_t { of_itself, of_windows, of_its_making };
constexpr std::uint32_t orders = 3;

constexpr std::uint32_t sequence(std::uint32_t communicator, Order order) {
  return orders * communicator + order;
}

/// The order in which a call counts. Nothing: no collective.
std::optional<std::uint32_t> sequence_of(const Call& call) {
  if (!is_collective(call.kind())) return std::nullopt;
  const Order order = call.kind() == CallKind::window_collective ? of_windows
                      : call.kind() == CallKind::making_group    ? of_its_making
                                                                 : of_itself;
  return sequence(call.event.communicator, order);
}

/// Of what a rank never came out of, the group that was to be is not known.
bool is_in_the_making(const profile::RankProfile& rank, const Call& call) {
  return call.kind() == CallKind::making_group && rank.ends_in_call && call.index + 1 == rank.events.size();
}

}  // namespace

bool is_collective(CallKind kind) {
  switch (kind) {
    case CallKind::all_to_all:
    case CallKind::one_to_all:
    case CallKind::all_to_one:
    case CallKind::prefix:
    case CallKind::neighbors:
    case CallKind::loose_collective:
    case CallKind::making_group:
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
    for (const Order order : {of_itself, of_windows, of_its_making})
      match_sequence(sequence(i, order), members, ranks, calls);
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
    const auto sequence = sequence_of(call);
    if (sequence && !is_in_the_making(profile_.ranks[rank], call)) calls[*sequence].push_back(call.index);
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
    find_sources(std::span(arrivals_).subspan(first, end - first));
    operations_[i].arrivals = std::span<const Arrival>(arrivals_).subspan(first, end - first);
    const std::int32_t root = at(profile_, arrivals_[first].call).peer;
    for (const Arrival& arrival : operations_[i].arrivals)
      if (profile_.ranks[arrival.call.rank].rank == root) operations_[i].root = &arrival;
  }
}

/// Its parts name them. Nothing where one of them has not come, as far as is known.
void Collectives::find_sources(std::span<Arrival> arrivals) const {
  std::unordered_map<std::int32_t, std::int64_t> came_ns;
  const auto parts_of = [&](const Arrival& arrival) {
    return call_at(profile_.ranks[arrival.call.rank].events, arrival.call.event).parts;
  };
  if (std::ranges::all_of(arrivals, [&](const Arrival& arrival) { return parts_of(arrival).empty(); }))
    return;
  for (const Arrival& arrival : arrivals)
    came_ns.emplace(profile_.ranks[arrival.call.rank].rank, arrival.begin_ns);
  for (Arrival& arrival : arrivals) {
    std::int64_t latest_ns = arrival.begin_ns;
    bool are_known = true;
    for (const Event& part : parts_of(arrival)) {
      const auto source = came_ns.find(part.peer);
      are_known = are_known && source != came_ns.end();
      if (are_known) latest_ns = std::max(latest_ns, source->second);
    }
    if (are_known) arrival.latest_source_ns = latest_ns;
  }
}

const Arrival* Collectives::arrival(EventId call) const {
  const std::uint32_t index = arrival_of_[call.rank][call.event];
  return index == EventId::none ? nullptr : &arrivals_[index];
}

}  // namespace loadshare::waiting
