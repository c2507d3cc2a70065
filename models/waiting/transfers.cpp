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
    case CallKind::receive:
      return true;
    case CallKind::wait: {
      const std::vector<Event>& events = profile.ranks[id.rank].events;
      return id.event + 2 >= events.size() || events[id.event + 2].part == profile::Part::call;
    }
    default:
      return false;
  }
}

/// Empty where nothing is known.
Interval movement(const Matching& matching, std::uint32_t rank, const Message& message) {
  const profile::Profile& profile = matching.profile;
  const EventId other = message.sent.rank == rank ? message.completed : message.released;
  if (!message.posted || !other || !is_for_one_message(profile, other)) return {};
  const Event& call = at(profile, other);
  return {std::max({call.begin_ns, at(profile, message.sent).begin_ns, at(profile, message.posted).begin_ns}),
          call.end_ns};
}

}  // namespace

std::int64_t moved_ns(const Matching& matching, std::uint32_t rank, const CallMessages& messages,
                      std::int64_t begin_ns, std::int64_t end_ns) {
  std::vector<Interval> movements;
  for (const Message* message : messages) movements.push_back(movement(matching, rank, *message));
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
