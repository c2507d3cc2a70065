#include "runtime/profile/notes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

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

template <typename Which>
void note_ranks(Profile& profile, const char* text, Which which) {
  std::vector<int> ranks;
  for (const RankProfile& rank : profile.ranks)
    if (which(rank)) ranks.push_back(rank.rank);
  if (!ranks.empty()) profile.notes.push_back(fmt::format(fmt::runtime(text), rank_list(ranks)));
}

}  // namespace

void note_what_is_missing(Profile& profile) {
  std::vector<int> missing;
  for (int rank = 0; rank < profile.ranks_started; ++rank)
    if (!std::ranges::binary_search(profile.ranks, rank, {}, &RankProfile::rank)) missing.push_back(rank);
  if (!missing.empty()) profile.notes.push_back(fmt::format("nothing is known of {}", rank_list(missing)));
  note_ranks(profile, "{} called MPI_Abort: the profile ends there",
             [](const RankProfile& rank) { return rank.has_aborted; });
  note_ranks(profile, "{} never called MPI_Finalize: the profile ends with the last call of each",
             [](const RankProfile& rank) { return !rank.has_finalized && !rank.has_aborted; });
  note_ranks(profile, "events of {} are missing from some time on (over the limit, or the disk was full)",
             [](const RankProfile& rank) { return rank.events_dropped > 0; });
  note_ranks(profile, "other threads of {} called MPI too: their calls are not told",
             [](const RankProfile& rank) { return rank.calls_of_other_threads > 0; });
}

void note_groups_dropped(Profile& profile, std::uint64_t count) {
  if (count > 0)
    profile.notes.push_back(fmt::format(
        "the members of {} communicators are missing (over the limit, or the disk was full)", count));
}

}  // namespace loadshare::profile
