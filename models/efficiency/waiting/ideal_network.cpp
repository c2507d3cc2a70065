#include "models/efficiency/waiting/ideal_network.hpp"

#include <algorithm>
#include <iterator>

#include "models/efficiency/waiting/members.hpp"
#include "profiler/calls.hpp"

namespace loadshare::waiting {
namespace {

using profile::CallKind;
using profile::Event;
using profile::RankProfile;

constexpr double not_yet = -1;

std::uint64_t key_of(EventId call) {
  return std::uint64_t{call.rank} << 32 | call.event;
}

std::uint64_t key_of(std::uint32_t operation) {
  return std::uint64_t{1} << 63 | operation;
}

/// Between tests in vain: naps are no computing.
double awake_share(const RankProfile& rank) {
  if (rank.outside_ns <= 0) return 1;
  const auto lost_ns = static_cast<double>(rank.stolen_ns + rank.blocked_ns);
  return std::clamp(1 - lost_ns / static_cast<double>(rank.outside_ns), 0.0, 1.0);
}

}  // namespace

IdealNetwork::IdealNetwork(const Matching& matching, Theft theft)
    : matching_(matching), theft_(theft), meetings_(matching.collectives.count()) {
  for (const RankProfile& rank : matching.profile.ranks) {
    const auto number = static_cast<std::uint32_t>(granted_.size());
    granted_.push_back(theft == Theft::kept ? 1 : granted_outside(all_of(rank)));
    if (theft == Theft::kept)
      granted_in_calls_.push_back(granted_beside(all_of(rank), waits_of(matching, number)));
    progress_.push_back({0, static_cast<double>(rank.begin_ns), rank.begin_ns, false});
    begins_ns_.emplace_back(rank.events.size(), not_yet);
    ends_ns_.emplace_back(rank.events.size(), not_yet);
    ready_.push_back(static_cast<std::uint32_t>(ready_.size()));
  }
  do go_on_all();
  while (force_one());
}

double IdealNetwork::instant_ns(std::uint32_t rank, std::int64_t real_ns) const {
  const RankProfile& own = matching_.profile.ranks[rank];
  auto event = std::ranges::upper_bound(own.events, real_ns, {}, &Event::begin_ns);
  while (event != own.events.begin() && std::prev(event)->part != profile::Part::call) --event;
  if (event == own.events.begin())
    return static_cast<double>(own.begin_ns) + computing_ns(rank, real_ns - own.begin_ns);
  const auto last = static_cast<std::size_t>(std::prev(event) - own.events.begin());
  if (own.events[last].begin_ns == real_ns) return begins_ns_[rank][last];
  return ends_ns_[rank][last] + computing_ns(rank, real_ns - own.events[last].end_ns);
}

double IdealNetwork::computing_ns(std::uint32_t rank, std::int64_t real_ns) const {
  return granted_[rank] * static_cast<double>(std::max<std::int64_t>(0, real_ns));
}

/// In a call: what is told of it, and of the rest what its rank lost on the average.
double IdealNetwork::stolen_ns(std::uint32_t rank, const Call& call) const {
  if (theft_ == Theft::left_out) return 0;
  const std::int64_t waited_ns = idle_ns(wait_of(matching_, rank, call), call.event);
  const std::int64_t told_ns = stolen_beside_ns(waited_ns, call.event);
  const auto moved_ns = static_cast<double>(call.event.inside_ns - waited_ns - told_ns);
  return static_cast<double>(told_ns) + moved_ns * (1 - granted_in_calls_[rank]);
}

void IdealNetwork::go_on_all() {
  while (!ready_.empty()) {
    const std::uint32_t rank = ready_.back();
    ready_.pop_back();
    go_on(rank);
  }
}

/// Up to the end, or to a call that needs one that has not begun.
void IdealNetwork::go_on(std::uint32_t rank) {
  const std::vector<Event>& events = matching_.profile.ranks[rank].events;
  Progress& at = progress_[rank];
  while (at.next < events.size()) {
    const Call call = call_at(events, at.next);
    if (call.event.part == profile::Part::call) {
      if (!at.is_in_call) arrive(rank, call);
      if (!pass(rank, call)) return;
    }
    at.next += 1 + static_cast<std::uint32_t>(call.parts.size());
  }
}

void IdealNetwork::arrive(std::uint32_t rank, const Call& call) {
  Progress& at = progress_[rank];
  at.now_ns += computing_ns(rank, call.event.begin_ns - at.real_ns);
  at.is_in_call = true;
  begins_ns_[rank][call.index] = at.now_ns;
  const EventId id{rank, call.index};
  wake(key_of(id));
  const Arrival* arrival = matching_.collectives.arrival(id);
  if (arrival == nullptr) return;
  Meeting& meeting = meetings_[arrival->operation];
  meeting.latest_ns = std::max(meeting.latest_ns, at.now_ns);
  ++meeting.came;
  if (is_complete(arrival->operation)) wake(key_of(arrival->operation));
}

void IdealNetwork::wake(std::uint64_t key) {
  const auto waiting = waiting_.find(key);
  if (waiting == waiting_.end()) return;
  ready_.insert(ready_.end(), waiting->second.begin(), waiting->second.end());
  waiting_.erase(waiting);
}

bool IdealNetwork::pass(std::uint32_t rank, const Call& call) {
  const Needs needs = needs_of(rank, call);
  if (const auto missing = missing_of(needs)) {
    waiting_[*missing].push_back(rank);
    return false;
  }
  leave(rank, call, needs);
  return true;
}

/// Those that have not begun where it is forced on are passed over.
void IdealNetwork::leave(std::uint32_t rank, const Call& call, const Needs& needs) {
  Progress& at = progress_[rank];
  for (const EventId other : needs.begun)
    at.now_ns = std::max(at.now_ns, begins_ns_[other.rank][other.event]);
  for (const std::uint32_t operation : needs.operations)
    at.now_ns = std::max(at.now_ns, meetings_[operation].latest_ns);
  at.now_ns += needs.own_ns + stolen_ns(rank, call);
  at.real_ns = call.event.end_ns;
  at.is_in_call = false;
  ends_ns_[rank][call.index] = at.now_ns;
}

/// Of ranks that wait for each other in a circle the one that came first goes on.
bool IdealNetwork::force_one() {
  const auto is_stuck = [](const Progress& at) { return at.is_in_call; };
  std::uint32_t first = EventId::none;
  for (std::uint32_t rank = 0; rank < progress_.size(); ++rank)
    if (is_stuck(progress_[rank]) &&
        (first == EventId::none || progress_[rank].now_ns < progress_[first].now_ns))
      first = rank;
  if (first == EventId::none) return false;
  ++forced_;
  for (auto& [key, ranks] : waiting_) std::erase(ranks, first);
  const Call call = call_at(matching_.profile.ranks[first].events, progress_[first].next);
  leave(first, call, needs_of(first, call));
  progress_[first].next += 1 + static_cast<std::uint32_t>(call.parts.size());
  ready_.push_back(first);
  return true;
}

bool IdealNetwork::is_complete(std::uint32_t operation) const {
  return meetings_[operation].came == matching_.collectives.operations()[operation].arrivals.size();
}

std::optional<std::uint64_t> IdealNetwork::missing_of(const Needs& needs) const {
  for (const EventId other : needs.begun)
    if (begins_ns_[other.rank][other.event] < 0) return key_of(other);
  for (const std::uint32_t operation : needs.operations)
    if (!is_complete(operation)) return key_of(operation);
  return std::nullopt;
}

void IdealNetwork::add_receive(EventId receive, Needs& needs) const {
  if (const Message* message = matching_.messages.taken_by(receive)) needs.begun.push_back(message->sent);
}

/// A send that may be short waits for a receive only where it was seen to.
void IdealNetwork::add_send(EventId send, const Event& in, Company company, Needs& needs) const {
  const Message* message = matching_.messages.sent_by(send);
  if (message == nullptr || !message->posted) return;
  const bool was_late = at(matching_.profile, message->posted).begin_ns > in.begin_ns;
  if (is_surely_held(matching_, send) || (was_late && late_receiver(matching_, send, in, company)))
    needs.begun.push_back(message->posted);
}

void IdealNetwork::add_member(EventId call, Needs& needs) const {
  const Arrival* own = matching_.collectives.arrival(call);
  if (own == nullptr) return;
  if (awaited_by(matching_, call) == Awaited::all) return needs.operations.push_back(own->operation);
  for (const Arrival* member : awaited_members(matching_, call)) needs.begun.push_back(member->call);
}

void IdealNetwork::add_requests(std::uint32_t rank, const Call& call, Needs& needs) const {
  const Company company = call.parts.size() == 1 ? Company::sends_alone : Company::others_too;
  for (const Event& part : call.parts) {
    const EventId start = matching_.messages.started(rank, part.request);
    if (!start) continue;
    switch (profile::facts(at(matching_.profile, start)).kind) {
      case CallKind::receive_start:
        add_receive(start, needs);
        break;
      case CallKind::send_start:
        add_send(start, call.event, company, needs);
        break;
      default:
        add_member(start, needs);
    }
  }
}

IdealNetwork::Needs IdealNetwork::needs_of(std::uint32_t rank, const Call& call) const {
  const EventId id{rank, call.index};
  const Event& event = call.event;
  const auto idle = [&] { return static_cast<double>(idle_ns(wait_of(matching_, rank, call), event)); };
  Needs needs;
  if (event.repeats > 0) {
    needs.own_ns = awake_share(matching_.profile.ranks[rank]) *
                   static_cast<double>(event.end_ns - event.begin_ns - event.inside_ns);
    return needs;
  }
  switch (call.kind()) {
    case CallKind::receive:
    case CallKind::probe:
      add_receive(id, needs);
      break;
    case CallKind::send:
      add_send(id, event, Company::sends_alone, needs);
      break;
    case CallKind::exchange:
      add_receive(id, needs);
      add_send(id, event, call.parts.empty() ? Company::sends_alone : Company::others_too, needs);
      break;
    case CallKind::wait:
    case CallKind::test:
      add_requests(rank, call, needs);
      break;
    case CallKind::window_start:
    case CallKind::window_complete:
    case CallKind::window_wait:
      if (const EventId partner = matching_.epochs.latest_partner(id)) needs.begun.push_back(partner);
      break;
    case CallKind::window_lock:
    case CallKind::window_transfer:
      needs.own_ns = idle();
      break;
    case CallKind::file_transfer:
      needs.own_ns = static_cast<double>(event.inside_ns);
      break;
    case CallKind::loose_collective:
      if (const Arrival* own = matching_.collectives.arrival(id)) needs.operations.push_back(own->operation);
      needs.own_ns = static_cast<double>(event.inside_ns) - idle();
      break;
    default:
      if (is_collective(call.kind()) && call.kind() != CallKind::collective_start) add_member(id, needs);
  }
  return needs;
}

}  // namespace loadshare::waiting
