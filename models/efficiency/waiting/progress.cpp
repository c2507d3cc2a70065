#include "models/efficiency/waiting/progress.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "models/efficiency/waiting/matching.hpp"
#include "models/efficiency/waiting/members.hpp"
#include "models/efficiency/waiting/open_calls.hpp"
#include "models/efficiency/waiting/wait_states.hpp"
#include "profiler/calls.hpp"

namespace loadshare::waiting {
namespace {

using profile::CallKind;
using profile::Event;
using profile::RankProfile;
using profile::SendMode;

const Event& sent(const Matching& matching, const Message& message) {
  return at(matching.profile, message.sent);
}

/// Longer than all that are sent at once.
bool is_long(const Matching& matching, const Message& message) {
  return sent(matching, message).bytes >
         matching.limits_between(message.sent.rank, sent(matching, message).peer).held_bytes;
}

bool is_buffered(const Matching& matching, const Message& message) {
  return profile::facts(sent(matching, message)).mode == SendMode::buffered;
}

bool is_on_one_host(const Matching& matching, const Message& message) {
  return matching.profile.ranks[message.sent.rank].host == matching.profile.ranks[message.posted.rank].host;
}

std::int64_t both_begun_ns(const Matching& matching, const Message& message) {
  return std::max(sent(matching, message).begin_ns, at(matching.profile, message.posted).begin_ns);
}

/// The other side of a message, seen from this one.
EventId partner_of(const Message& message, Side side) {
  return side == Side::sender ? message.posted : message.sent;
}

/// The call that ended a side.
EventId end_of(const Message& message, Side side) {
  return side == Side::sender ? message.released : message.completed;
}

Side other(Side side) {
  return side == Side::sender ? Side::receiver : Side::sender;
}

/// Whether that side's call ended while the other, which had begun, was outside MPI and stayed there.
bool is_unaided(const Matching& matching, const Message& message, Side side) {
  const profile::Profile& profile = matching.profile;
  const EventId ended = end_of(message, side);
  if (!message.posted || !ended || !is_long(matching, message) || is_open(profile, ended)) return false;
  if (side == Side::sender && is_buffered(matching, message)) return false;
  const RankProfile& partner = profile.ranks[partner_of(message, side).rank];
  const std::int64_t both_ns = both_begun_ns(matching, message);
  const std::int64_t end_ns = at(profile, ended).end_ns;
  if (end_ns <= both_ns || !is_recorded(profile, partner.rank)) return false;
  const auto entry_ns = next_entry_ns(partner, both_ns);
  return entry_ns && *entry_ns > end_ns + quick_ns;
}

/// Up to when one request kept the call, and how.
struct Kept {
  std::int64_t until_ns = std::numeric_limits<std::int64_t>::min();
  Progress how;
};

/// What is asked, and the finding for each kind of partner.
class Search {
 public:
  Search(const Matching& matching, std::uint32_t rank, const Call& ended, const Event& in,
         std::int64_t from_ns)
      : matching_(matching),
        profile_(matching.profile),
        rank_(rank),
        ended_(ended),
        is_open_(is_open(profile_, {rank, ended.index})),
        from_ns_(from_ns),
        until_ns_(in.end_ns) {}

  Progress found() const {
    const EventId id{rank_, ended_.index};
    switch (ended_.kind()) {
      case CallKind::send:
        return of_send(id).how;
      case CallKind::receive:
        return of_receive(id).how;
      case CallKind::exchange:
        return later(of_send(id), of_receive(id)).how;
      case CallKind::wait:
      case CallKind::test:
        return of_requests();
      case CallKind::one_to_all:
      case CallKind::all_to_one:
        return awaited_by(matching_, id) == Awaited::all ? Progress{} : of_members(id).how;
      case CallKind::prefix:
        return of_members(id).how;
      default:
        return {};
    }
  }

 private:
  static Kept later(const Kept& one, const Kept& other) {
    return one.until_ns >= other.until_ns ? one : other;
  }
  static Kept sooner(const Kept& one, const Kept& other) {
    return one.until_ns <= other.until_ns ? one : other;
  }

  Progress of_requests() const {
    const bool is_first = goes_on_with_the_first(ended_.event);
    std::optional<Kept> kept;
    for (const Event& part : ended_.parts) {
      const EventId start = matching_.messages.started(rank_, part.request);
      const Kept one = start ? of_request(start) : Kept{};
      kept = !kept ? one : is_first ? sooner(*kept, one) : later(*kept, one);
    }
    return kept.value_or(Kept{}).how;
  }

  Kept of_request(EventId start) const {
    switch (profile::facts(at(profile_, start)).kind) {
      case CallKind::send_start:
        return of_send(start);
      case CallKind::receive_start:
        return of_receive(start);
      default:
        return of_members(start);
    }
  }

  Kept of_send(EventId send) const {
    const Message* message = matching_.messages.sent_by(send);
    if (message == nullptr || is_buffered(matching_, *message)) return {};
    const bool waits = is_long(matching_, *message) ||
                       may_wait(matching_, send, is_alone() ? Company::sends_alone : company());
    return of_message(*message, Side::sender, waits);
  }

  Kept of_receive(EventId receive) const {
    const Message* message = matching_.messages.taken_by(receive);
    return message == nullptr ? Kept{} : of_message(*message, Side::receiver, is_long(matching_, *message));
  }

  Kept of_message(const Message& message, Side side, bool waits) const {
    if (!message.posted) return {};
    const EventId partner = partner_of(message, side);
    const Span within{std::max(from_ns_, both_begun_ns(matching_, message)), over_ns(message, side)};
    const auto entry_ns = entry_of(partner.rank, within);
    if (!entry_ns) return {};
    const std::int64_t outside_ns = outside(std::span(&partner.rank, 1), within.begin_ns, *entry_ns);
    const bool is_sure = waits && !matching_.unaided.are_seen(side, is_on_one_host(matching_, message));
    if (is_sure && (is_surely_slow(message) || outside_ns > quick_ns)) return {*entry_ns, {outside_ns, 0}};
    if (is_sure || !is_alone() || outside_ns <= quick_ns) return {};
    return {*entry_ns, {0, outside_ns}};
  }

  /// Whether it is certain, however short the wait, that it did not go at once.
  bool is_surely_slow(const Message& message) const {
    return is_long(matching_, message) || is_surely_held(matching_, message.sent);
  }

  /// Up to when the partner may be needed. What is buffered is not gone when its send has ended.
  std::int64_t over_ns(const Message& message, Side side) const {
    const EventId over = end_of(message, other(side));
    const bool is_gone = over && !(side == Side::receiver && is_buffered(matching_, message));
    return is_gone ? std::min(end_ns(), at(profile_, over).end_ns) : end_ns();
  }

  /// Ranks that are still in the operation, or have not come to it, are all that may help.
  Kept of_members(EventId member) const {
    const Arrival* own = matching_.collectives.arrival(member);
    if (own == nullptr || until_ns_ - from_ns_ <= quick_ns) return {};
    const bool is_started = profile::facts(at(profile_, member)).kind == CallKind::collective_start;
    std::vector<std::uint32_t> others;
    std::optional<std::int64_t> last_ns = latest_missing_ns(*own, member);
    for (const Arrival* other : helpers_of(*own, member)) {
      others.push_back(other->call.rank);
      last_ns = std::max(last_ns, entry_into(*other));
    }
    if (!last_ns) return {};
    const std::int64_t span_ns = std::min(*last_ns, until_ns_) - from_ns_;
    if (span_ns <= quick_ns) return {};
    const std::int64_t waited_ns = is_started ? outside(others, from_ns_, *last_ns) : 0;
    const bool is_pair = is_started && others.size() == 1;
    return {*last_ns, {waited_ns, is_pair ? 0 : span_ns - waited_ns}};
  }

  std::vector<const Arrival*> helpers_of(const Arrival& own, EventId member) const {
    if (awaited_by(matching_, member) == Awaited::sources) return awaited_members(matching_, member);
    std::vector<const Arrival*> helpers;
    for (const Arrival& other : matching_.collectives.operation(own).arrivals)
      if (&other != &own) helpers.push_back(&other);
    return helpers;
  }

  /// The run's end, where it ended before all had come.
  std::optional<std::int64_t> latest_missing_ns(const Arrival& own, EventId member) const {
    const std::uint32_t communicator = at(profile_, member).communicator;
    const bool has_all = matching_.collectives.operation(own).arrivals.size() ==
                         profile_.communicators[communicator].members.size();
    return is_open_ && !has_all ? std::optional(until_ns_) : std::nullopt;
  }

  /// When a member came to it, or into MPI again before it was through.
  std::optional<std::int64_t> entry_into(const Arrival& member) const {
    const auto entry_ns = entry_of(member.call.rank, {from_ns_, std::min(end_ns(), through_ns(member.call))});
    const bool is_late = from_ns_ < member.begin_ns && member.begin_ns < end_ns();
    return is_late ? std::max(entry_ns, std::optional(member.begin_ns)) : entry_ns;
  }

  /// When the call ended, or what completed it did; looked for up to when that tells nothing new.
  std::int64_t through_ns(EventId member) const {
    const Event& start = at(profile_, member);
    if (profile::facts(start).kind != CallKind::collective_start) return start.end_ns;
    const std::vector<Event>& events = profile_.ranks[member.rank].events;
    for (auto event = events.begin() + member.event; event != events.end() && event->begin_ns < end_ns();
         ++event)
      if (event->part == profile::Part::completed && event->request == start.request) return event->end_ns;
    return end_ns();
  }

  std::optional<std::int64_t> entry_of(std::uint32_t partner, const Span& within) const {
    const RankProfile& rank = profile_.ranks[partner];
    if (partner == rank_ || !is_recorded(profile_, rank.rank)) return std::nullopt;
    return last_entry_ns(rank, within);
  }

  /// How long within what is asked none of them was in MPI, and nothing else of this call moved.
  std::int64_t outside(std::span<const std::uint32_t> partners, std::int64_t begin_ns,
                       std::int64_t end_ns) const {
    const Span within{begin_ns, std::max(begin_ns, std::min(end_ns, until_ns_))};
    std::vector<Span> busy;
    if (!is_alone()) busy = movements_of(matching_, rank_, messages_of(matching_, rank_, ended_));
    for (const std::uint32_t partner : partners) add_presence(profile_.ranks[partner], within, busy);
    return within.end_ns - within.begin_ns - covered_ns(std::move(busy), within);
  }

  /// Whether the call is about one message or operation.
  bool is_alone() const { return ended_.kind() != CallKind::exchange && ended_.parts.size() <= 1; }

  Company company() const {
    return ended_.kind() == CallKind::exchange ? Company::others_too : company_of(matching_, rank_, ended_);
  }

  /// One that the run ended in would have lasted.
  std::int64_t end_ns() const {
    return is_open_ ? std::numeric_limits<std::int64_t>::max() : ended_.event.end_ns;
  }

  const Matching& matching_;
  const profile::Profile& profile_;
  std::uint32_t rank_;
  const Call& ended_;
  bool is_open_;
  std::int64_t from_ns_;
  std::int64_t until_ns_;
};

}  // namespace

Unaided::Unaided(const Matching& matching) {
  for (const Message& message : matching.messages.all())
    for (const Side side : {Side::sender, Side::receiver})
      if (is_unaided(matching, message, side))
        seen_.at(index(side, is_on_one_host(matching, message))) = true;
}

Progress progress_of(const Matching& matching, std::uint32_t rank, const Call& ended, const Event& in,
                     std::int64_t from_ns) {
  if (from_ns >= in.end_ns) return {};
  return Search(matching, rank, ended, in, from_ns).found();
}

}  // namespace loadshare::waiting
