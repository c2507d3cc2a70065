#include "models/efficiency/waiting/calls.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

namespace loadshare::waiting {
namespace {

using profile::Event;

double granted_share(std::int64_t stolen_ns, std::int64_t all_ns) {
  if (all_ns <= 0) return 1;
  return std::clamp(1 - static_cast<double>(stolen_ns) / static_cast<double>(all_ns), 0.0, 1.0);
}

/// When the one before it ended; parts end with their call.
std::int64_t end_before_ns(const profile::RankProfile& rank, std::vector<Event>::const_iterator event) {
  return event == rank.events.begin() ? rank.begin_ns : std::prev(event)->end_ns;
}

}  // namespace

std::int64_t length_of_union_ns(std::vector<Span> spans) {
  std::ranges::sort(spans, {}, &Span::begin_ns);
  std::int64_t length_ns = 0;
  std::int64_t covered_ns = std::numeric_limits<std::int64_t>::min();
  for (const Span& span : spans) {
    length_ns += std::max<std::int64_t>(0, span.end_ns - std::max(span.begin_ns, covered_ns));
    covered_ns = std::max(covered_ns, span.end_ns);
  }
  return length_ns;
}

std::int64_t covered_ns(std::vector<Span> spans, const Span& within) {
  for (Span& span : spans)
    span = {std::max(span.begin_ns, within.begin_ns), std::min(span.end_ns, within.end_ns)};
  return length_of_union_ns(std::move(spans));
}

Span span_of(const profile::Profile& profile) {
  if (profile.ranks.empty()) return {};
  Span run{profile.ranks.front().begin_ns, profile.ranks.front().end_ns};
  for (const profile::RankProfile& rank : profile.ranks) {
    run.begin_ns = std::min(run.begin_ns, rank.begin_ns);
    run.end_ns = std::max(run.end_ns, rank.end_ns);
  }
  return run;
}

bool begins_within(std::span<const Span> spans, const profile::Event& call) {
  const auto behind = std::ranges::upper_bound(spans, call.begin_ns, {}, &Span::begin_ns);
  return behind != spans.begin() && call.begin_ns < std::prev(behind)->end_ns;
}

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

profile::Portion all_of(const profile::RankProfile& rank) {
  return {{{rank.begin_ns, rank.end_ns}}, rank.inside_ns, rank.outside_ns, rank.stolen_ns, rank.blocked_ns,
          rank.stolen_inside_ns};
}

double granted_inside(const profile::Portion& rank) {
  return granted_share(rank.stolen_inside_ns, rank.inside_ns);
}

double granted_outside(const profile::Portion& rank) {
  return granted_share(rank.stolen_ns, rank.outside_ns);
}

bool is_recorded(const profile::Profile& profile, std::int32_t rank) {
  const auto found = std::ranges::lower_bound(profile.ranks, rank, {}, &profile::RankProfile::rank);
  return found != profile.ranks.end() && found->rank == rank && found->events_dropped == 0 &&
         found->calls_of_other_threads == 0;
}

bool are_recorded(const profile::Profile& profile, std::uint32_t communicator) {
  const std::vector<int>& members = profile.communicators[communicator].members;
  return !members.empty() &&
         std::ranges::all_of(members, [&](int rank) { return is_recorded(profile, rank); });
}

}  // namespace loadshare::waiting
