#include "runtime/profile/notes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "runtime/profile/calls.hpp"

namespace loadshare::profile {
namespace {

/// "rank 3", or "ranks 3, 4 and 5 more".
std::string rank_list(const std::vector<int>& ranks) {
  constexpr std::size_t most = 8;
  const std::vector<int> first(ranks.begin(),
                               ranks.begin() + static_cast<std::ptrdiff_t>(std::min(most, ranks.size())));
  return fmt::format("{} {}{}", ranks.size() == 1 ? "rank" : "ranks", fmt::join(first, ", "),
                     ranks.size() > most ? fmt::format(" and {} more", ranks.size() - most) : "");
}

std::string name_of_open_call(const RankProfile& rank) {
  const std::string& place = rank.places[rank.open_call->place];
  return fmt::format("{}{}", facts(*rank.open_call).name, place.empty() ? "" : " from " + place);
}

template <typename Which>
void note_ranks(Profile& profile, const std::string& text, Which which) {
  std::vector<int> ranks;
  for (const RankProfile& rank : profile.ranks)
    if (which(rank)) ranks.push_back(rank.rank);
  if (ranks.empty()) return;
  const std::size_t at = text.find("{}");  // places have braces too
  profile.notes.push_back(std::string(text).replace(at, 2, rank_list(ranks)));
}

/// Who is in a call that it never came out of is in it to the end.
void note_endings(Profile& profile) {
  std::set<std::string> calls;
  for (const RankProfile& rank : profile.ranks)
    if (rank.open_call) calls.insert(name_of_open_call(rank));
  for (const std::string& call : calls)
    note_ranks(profile, "{} never came out of " + call,
               [&](const RankProfile& rank) { return rank.open_call && name_of_open_call(rank) == call; });
  std::set<std::string> ends;
  for (const RankProfile& rank : profile.ranks)
    if (!rank.has_finalized && !rank.has_aborted) ends.insert(rank.ended_by);
  for (const std::string& end : ends)
    note_ranks(profile,
               end.empty() ? std::string("{} never called MPI_Finalize, and did not get to say when it ended")
                           : "{} never called MPI_Finalize: ended by " + end,
               [&](const RankProfile& rank) {
                 return !rank.has_finalized && !rank.has_aborted && rank.ended_by == end;
               });
}

}  // namespace

void note_what_is_missing(Profile& profile) {
  std::vector<int> missing;
  for (int rank = 0; rank < profile.ranks_started; ++rank)
    if (!std::ranges::binary_search(profile.ranks, rank, {}, &RankProfile::rank)) missing.push_back(rank);
  if (!missing.empty()) profile.notes.push_back(fmt::format("nothing is known of {}", rank_list(missing)));
  note_ranks(profile, "{} called MPI_Abort: the profile ends there",
             [](const RankProfile& rank) { return rank.has_aborted; });
  note_endings(profile);
  note_ranks(profile, "events of {} are missing from some time on (over the limit, or the disk was full)",
             [](const RankProfile& rank) { return rank.events_dropped > 0; });
  note_ranks(profile, "other threads of {} called MPI too: their calls are not told",
             [](const RankProfile& rank) { return rank.calls_of_other_threads > 0; });
}

void note_started_others(Profile& profile) {
  const auto starts_others = [](const Event& event) {
    const auto call = static_cast<CallId>(event.call);
    return call == CallId::Comm_spawn || call == CallId::Comm_spawn_multiple;
  };
  for (const RankProfile& rank : profile.ranks)
    if (std::ranges::any_of(rank.events, starts_others)) {
      profile.notes.push_back(
          "the program started others by MPI_Comm_spawn, which are not in the profile: waiting for them "
          "stands as communicating");
      return;
    }
}

void note_groups_dropped(Profile& profile, std::uint64_t count) {
  if (count > 0)
    profile.notes.push_back(fmt::format(
        "the members of {} communicators are missing (over the limit, or the disk was full)", count));
}

}  // namespace loadshare::profile
