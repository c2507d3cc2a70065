#pragma once

#include <limits>
#include <vector>

#include "models/efficiency/waiting/matching.hpp"
#include "models/efficiency/waiting/messages.hpp"
#include "models/efficiency/waiting/wait_states.hpp"

namespace loadshare::waiting {

inline constexpr std::int64_t to_the_end_ns = std::numeric_limits<std::int64_t>::max();

/// Whether the run ended while the rank was in this call.
bool is_open(const profile::Profile& profile, EventId call);

/// The calls of a rank whose requests were under way at the end, in their order.
std::vector<EventId> starts_under_way(const profile::Profile& profile, std::uint32_t rank);

/// What a receive, a send or a collective that the run ended in waited for: until its partner came, and to
/// the end where it never did. Nothing where the profile does not tell whether it came.
///
/// `call` posted the receive, or is a probe; one that takes any message may have taken any that is left.
Wait open_receive(const Matching& matching, EventId call);

/// Ditto of a receive of which only this is known: -1 for its source or tag is any.
Wait open_receive(const Matching& matching, const Channel& wanted);

/// The receiver may have taken it by any receive under way that takes such messages.
Wait open_send(const Matching& matching, EventId call);

/// `recorded` is what it waited for where it ended. It stands where all have come, and where some that have
/// may have moved data without the others.
Wait open_collective(const Matching& matching, EventId call, const Wait& recorded);

/// What a call waited for in which the run ended (`is_open`), where `recorded` is what it would have if it
/// had ended: a partner that never came kept it to the end, if the profile tells all that this partner did.
/// Nothing where it may have moved data.
Wait open_wait(const Matching& matching, EventId call, const Wait& recorded);

}  // namespace loadshare::waiting
