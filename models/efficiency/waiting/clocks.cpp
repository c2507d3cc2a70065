#include "models/efficiency/waiting/clocks.hpp"

#include <algorithm>

#include "models/efficiency/waiting/members.hpp"
#include "models/efficiency/waiting/open_calls.hpp"
#include "profiler/calls.hpp"

namespace loadshare::waiting {
namespace {

using profile::CallId;
using profile::CallKind;
using profile::Event;

/// The profile does not tell with whom a member exchanged something, or that nobody needed to come.
bool may_need_nobody(const Event& call) {
  switch (static_cast<CallId>(call.call)) {
    case CallId::Alltoallv:
    case CallId::Alltoallw:
    case CallId::Ialltoallv:
    case CallId::Ialltoallw:
    case CallId::Neighbor_alltoallv:
    case CallId::Neighbor_alltoallw:
    case CallId::Ineighbor_alltoallv:
    case CallId::Ineighbor_alltoallw:
      return true;
    case CallId::Win_fence:
      return call.tag == profile::nothing_precedes;
    default:
      return false;
  }
}

/// Where it is the data alone that one waits for.
bool is_about_data(CallKind kind) {
  return kind == CallKind::one_to_all || kind == CallKind::all_to_one || kind == CallKind::prefix ||
         kind == CallKind::neighbors;
}

class Clocks {
 public:
  explicit Clocks(const Matching& matching) : matching_(matching), profile_(matching.profile) {}

  void look_at(const Message& message) {
    if (message.completed) needs(message.completed, message.sent);
    const bool is_held = profile::facts(at(profile_, message.sent)).mode == profile::SendMode::synchronous;
    if (is_held && message.posted && message.released) needs(message.released, message.posted);
  }

  void look_at(std::uint32_t rank, const Call& call) {
    const EventId id{rank, call.index};
    if (call.event.repeats > 0) return;
    if (call.kind() == CallKind::window_complete || call.kind() == CallKind::window_wait) {
      if (const EventId partner = matching_.epochs.latest_partner(id)) needs(id, partner);
    } else if (call.kind() == CallKind::wait || call.kind() == CallKind::test) {
      for (const Event& part : call.parts) ends_in(id, matching_.messages.started(rank, part.request));
    } else if (call.kind() != CallKind::collective_start) {
      ends_in(id, id);
    }
  }

  const Contradictions& found() const { return found_; }

 private:
  /// A member's call of a collective operation; of others nothing is known here.
  void ends_in(EventId ended, EventId member) {
    const Arrival* own = member ? matching_.collectives.arrival(member) : nullptr;
    if (own == nullptr) return;
    if (matching_.collectives.operation(*own).latest_ns <= at(profile_, ended).end_ns) return;
    const Event& call = at(profile_, member);
    if (may_need_nobody(call)) return;
    const bool needs_data = is_about_data(kind_of_collective(call));
    EventId last;
    for (const Arrival* other : awaited_members(matching_, member)) {
      const bool is_needed = !needs_data || (call.bytes > 0 && at(profile_, other->call).bytes > 0);
      if (is_needed && are_on_two_hosts(ended, other->call) &&
          (!last || at(profile_, last).begin_ns < other->begin_ns))
        last = other->call;
    }
    if (last) needs(ended, last);
  }

  void needs(EventId ended, EventId begun) {
    if (!are_on_two_hosts(ended, begun) || is_open(profile_, ended)) return;
    const std::int64_t ahead_ns = at(profile_, begun).begin_ns - at(profile_, ended).end_ns;
    if (ahead_ns <= 0) return;
    ++found_.count;
    found_.largest_ns = std::max(found_.largest_ns, ahead_ns);
  }

  bool are_on_two_hosts(EventId one, EventId other) const {
    return profile_.ranks[one.rank].host != profile_.ranks[other.rank].host;
  }

  const Matching& matching_;
  const profile::Profile& profile_;
  Contradictions found_;
};

}  // namespace

Contradictions contradictions_of(const Matching& matching) {
  Clocks clocks(matching);
  for (const Message& message : matching.messages.all()) clocks.look_at(message);
  for (std::uint32_t rank = 0; rank < matching.profile.ranks.size(); ++rank)
    for_each_call(matching.profile.ranks[rank].events, [&](const Call& call) { clocks.look_at(rank, call); });
  return clocks.found();
}

}  // namespace loadshare::waiting
