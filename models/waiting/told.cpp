#include "models/waiting/told.hpp"

#include <algorithm>

namespace loadshare::waiting {

bool is_told(const profile::Profile& profile, std::int32_t rank) {
  const auto found = std::ranges::lower_bound(profile.ranks, rank, {}, &profile::RankProfile::rank);
  return found != profile.ranks.end() && found->rank == rank && found->events_dropped == 0 &&
         found->calls_of_other_threads == 0;
}

bool are_told(const profile::Profile& profile, std::uint32_t communicator) {
  const std::vector<int>& members = profile.communicators[communicator].members;
  return !members.empty() && std::ranges::all_of(members, [&](int rank) { return is_told(profile, rank); });
}

}  // namespace loadshare::waiting
