#include "models/waiting/losses.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "models/waiting/granted.hpp"
#include "models/waiting/span.hpp"

namespace loadshare::waiting {
namespace {

using profile::Event;
using profile::RankProfile;

using Key = std::tuple<std::string_view, std::string_view, WaitState>;
using Sums = std::map<Key, double>;  // in nanoseconds

std::string_view place_of(const RankProfile& rank, const Event& event) {
  return event.place < rank.places.size() ? std::string_view(rank.places[event.place]) : std::string_view();
}

void add_losses(const Matching& matching, std::uint32_t number, Sums& sums) {
  const RankProfile& rank = matching.profile.ranks[number];
  const double granted = granted_share(rank);
  for_each_call(rank.events, [&](const Call& call) {
    const Wait wait = wait_of(matching, number, call);
    const std::int64_t waited_ns = idle_ns(wait, call.event);
    const std::int64_t moved_ns = std::max<std::int64_t>(0, call.event.inside_ns - waited_ns);
    const std::string_view name = profile::facts(call.event).name;
    const std::string_view place = place_of(rank, call.event);
    if (waited_ns > 0) sums[{name, place, wait.state}] += static_cast<double>(waited_ns);
    sums[{name, place, WaitState::none}] += static_cast<double>(moved_ns) * granted;
  });
}

/// Of the account's idle time, what no call has.
void add_idle_outside(const RankProfile& rank, const Span& run, Sums& sums) {
  constexpr std::string_view outside = "outside MPI";
  if (rank.blocked_ns > 0) sums[{outside, "", WaitState::asleep}] += static_cast<double>(rank.blocked_ns);
  const std::int64_t away_ns = absent_ns(rank, run);
  if (away_ns > 0) sums[{outside, "", WaitState::absent}] += static_cast<double>(away_ns);
}

}  // namespace

std::vector<Loss> losses(const Matching& matching) {
  Sums sums;
  const Span run = span_of(matching.profile);
  for (std::uint32_t rank = 0; rank < matching.profile.ranks.size(); ++rank) {
    add_losses(matching, rank, sums);
    add_idle_outside(matching.profile.ranks[rank], run, sums);
  }
  std::vector<Loss> all;
  for (const auto& [key, lost_ns] : sums)
    all.push_back({std::get<0>(key), std::string(std::get<1>(key)), std::get<2>(key), lost_ns * 1e-9});
  std::ranges::stable_sort(all, std::ranges::greater{}, &Loss::seconds);
  return all;
}

}  // namespace loadshare::waiting
