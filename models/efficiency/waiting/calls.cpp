#include "models/efficiency/waiting/calls.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

namespace loadshare::waiting {
namespace {

double granted_share(std::int64_t stolen_ns, std::int64_t all_ns) {
  if (all_ns <= 0) return 1;
  return std::clamp(1 - static_cast<double>(stolen_ns) / static_cast<double>(all_ns), 0.0, 1.0);
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
