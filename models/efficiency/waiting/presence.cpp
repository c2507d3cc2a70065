#include "models/efficiency/waiting/presence.hpp"

#include <algorithm>
#include <iterator>

namespace loadshare::waiting {
namespace {

using profile::Event;

/// When the one before it ended; parts end with their call.
std::int64_t end_before_ns(const profile::RankProfile& rank, std::vector<Event>::const_iterator event) {
  return event == rank.events.begin() ? rank.begin_ns : std::prev(event)->end_ns;
}

}  // namespace

std::optional<std::int64_t> next_entry_ns(const profile::RankProfile& rank, std::int64_t at_ns) {
  const auto next = std::ranges::upper_bound(rank.events, at_ns, {}, &Event::begin_ns);
  if (next != rank.events.begin() && std::prev(next)->end_ns > at_ns) return std::nullopt;
  return next != rank.events.end() ? next->begin_ns : rank.end_ns;
}

std::optional<std::int64_t> last_entry_ns(const profile::RankProfile& rank, const Span& within) {
  auto event = std::ranges::lower_bound(rank.events, within.end_ns, {}, &Event::begin_ns);
  if (event == rank.events.end() && end_before_ns(rank, event) < rank.end_ns &&
      within.begin_ns < rank.end_ns && rank.end_ns < within.end_ns)
    return rank.end_ns;
  while (event != rank.events.begin() && (--event)->begin_ns > within.begin_ns)
    if (end_before_ns(rank, event) < event->begin_ns) return event->begin_ns;
  return std::nullopt;
}

void add_presence(const profile::RankProfile& rank, const Span& within, std::vector<Span>& presence) {
  auto event = std::ranges::lower_bound(rank.events, within.end_ns, {}, &Event::begin_ns);
  while (event != rank.events.begin() && (--event)->end_ns > within.begin_ns)
    presence.push_back({event->begin_ns, event->end_ns});
}

}  // namespace loadshare::waiting
