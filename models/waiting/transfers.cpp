#include "models/waiting/transfers.hpp"

#include <algorithm>
#include <utility>

namespace loadshare::waiting {
namespace {

using profile::CallKind;
using profile::Event;

using Interval = std::pair<std::int64_t, std::int64_t>;

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
                   std::vector<Interval>& movements) {
  if (!message.posted) return;
  const profile::Profile& profile = matching.profile;
  const std::int64_t both_ns =
      std::max(at(profile, message.sent).begin_ns, at(profile, message.posted).begin_ns);
  const bool is_ours = message.sent.rank == rank;
  for (const EventId other :
       {is_ours ? message.posted : message.sent, is_ours ? message.completed : message.released}) {
    if (!other || !is_for_one_message(profile, other)) continue;
    const Event& call = at(profile, other);
    movements.emplace_back(std::max(call.begin_ns, both_ns), call.end_ns);
  }
}

}  // namespace

std::int64_t moved_ns(const Matching& matching, std::uint32_t rank, const CallMessages& messages,
                      std::int64_t begin_ns, std::int64_t end_ns) {
  std::vector<Interval> movements;
  for (const Message* message : messages) add_movements(matching, rank, *message, movements);
  std::sort(movements.begin(), movements.end());
  std::int64_t moved = 0;
  for (const auto& [from_ns, to_ns] : movements) {
    begin_ns = std::max(begin_ns, from_ns);
    const std::int64_t until_ns = std::min(to_ns, end_ns);
    if (until_ns <= begin_ns) continue;
    moved += until_ns - begin_ns;
    begin_ns = until_ns;
  }
  return moved;
}

}  // namespace loadshare::waiting
