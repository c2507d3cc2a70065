#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "profiler/profile.hpp"

namespace loadshare::waiting {

/// Where a call stands in a profile: profile.ranks[rank].events[event]. `rank` is the position in the
/// profile, which is not the number of the rank where ranks are missing.
struct EventId {
  static constexpr std::uint32_t none = 0xffffffff;
  std::uint32_t rank = none;
  std::uint32_t event = none;

  explicit operator bool() const { return event != none; }
  bool operator==(const EventId&) const = default;
};

inline const profile::Event& at(const profile::Profile& profile, EventId id) {
  return profile.ranks[id.rank].events[id.event];
}

/// One call with the parts that tell more of it.
struct Call {
  std::uint32_t index;  ///< of `event` among its rank's events
  const profile::Event& event;
  std::span<const profile::Event> parts;

  profile::CallKind kind() const { return profile::facts(event).kind; }
};

/// The call at that place among its rank's events, and the parts behind it.
inline Call call_at(const std::vector<profile::Event>& events, std::uint32_t index) {
  std::size_t end = index + 1;
  while (end < events.size() && events[end].part != profile::Part::call) ++end;
  return {index, events[index], std::span(events).subspan(index + 1, end - index - 1)};
}

/// Visits a rank's calls in their order. Parts that belong to no call are passed over.
template <typename Visit>
void for_each_call(const std::vector<profile::Event>& events, Visit visit) {
  for (std::uint32_t i = 0; i < events.size();) {
    const Call call = call_at(events, i);
    if (events[i].part == profile::Part::call) visit(call);
    i += 1 + static_cast<std::uint32_t>(call.parts.size());
  }
}

using profile::Span;

/// Every call there is.
inline constexpr Span all_of_time{std::numeric_limits<std::int64_t>::min(),
                                  std::numeric_limits<std::int64_t>::max()};

/// Whether the call began within one of these spans, which are in their order and apart from each other.
bool begins_within(std::span<const Span> spans, const profile::Event& call);

/// Time that is in any of these spans; and how much of one it is.
std::int64_t length_of_union_ns(std::vector<Span> spans);
std::int64_t covered_ns(std::vector<Span> spans, const Span& within);

/// From the first rank's begin to the last one's end.
Span span_of(const profile::Profile& profile);

/// When a rank came into MPI next; nothing where it was in it at that instant. MPI_Finalize counts.
std::optional<std::int64_t> next_entry_ns(const profile::RankProfile& rank, std::int64_t at_ns);

/// When it came into it from outside last, within a span but not at its ends; nothing where it did not.
std::optional<std::int64_t> last_entry_ns(const profile::RankProfile& rank, const Span& within);

/// When it was in it, as far as that touches a span. Between tests in vain counts.
void add_presence(const profile::RankProfile& rank, const Span& within, std::vector<Span>& presence);

/// All of a rank's time.
profile::Portion all_of(const profile::RankProfile& rank);

/// The share of a rank's time inside MPI, and outside, that nobody stole, from 0 to 1. What was stolen is
/// spread evenly over it: the kernel does not tell what it met.
double granted_inside(const profile::Portion& rank);
double granted_outside(const profile::Portion& rank);

/// Whether all calls of this rank of MPI_COMM_WORLD are in the profile: one that is not there was never made.
bool is_recorded(const profile::Profile& profile, std::int32_t rank);

/// Whether those of all members of a communicator are; not where its members are not known.
bool are_recorded(const profile::Profile& profile, std::uint32_t communicator);

}  // namespace loadshare::waiting
