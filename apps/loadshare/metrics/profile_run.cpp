#include "apps/loadshare/metrics/profile_run.hpp"

#include <algorithm>
#include <map>

#include "apps/loadshare/metrics/shared_processors.hpp"
#include "models/granularity/account.hpp"
#include "models/waiting/accounts.hpp"
#include "runtime/profile/profile.hpp"

namespace loadshare::tool {
namespace {

bool has_ended(const profile::Profile& profile) {
  return profile.ranks.size() == static_cast<std::size_t>(profile.ranks_started) &&
         std::ranges::all_of(profile.ranks, &profile::RankProfile::has_finalized);
}

void add_capacities(granularity::RunTimes& times, const profile::Profile& profile) {
  std::map<int, double> capacities;
  for (const profile::RankProfile& rank : profile.ranks) capacities[rank.rank] = rank.capacity;
  for (granularity::RankTimes& rank : times.ranks)
    if (const auto found = capacities.find(rank.rank); found != capacities.end())
      rank.capacity = found->second;
}

std::vector<std::string> remarks_on(const profile::Profile& profile) {
  std::vector<RankProcessors> ranks;
  for (const profile::RankProfile& rank : profile.ranks) ranks.push_back({rank.host, rank.cpus});
  return remarks_on_shared_processors(ranks);
}

}  // namespace

SourcedRun read_profile_run(const std::string& path) {
  SourcedRun run;
  run.place = path;
  const profile::Profile profile = profile::read_profile(path);
  const waiting::Matching matching(profile);
  run.times = waiting::account(matching);
  add_capacities(run.times, profile);
  run.remarks = remarks_on(profile);
  run.has_ended = has_ended(profile);
  run.losses = waiting::losses(matching);
  granularity::require_sound(run.times, path + ": ");
  run.setting.program = run.times.program;
  // What a program tells of itself is another measurement than what is seen of it from outside.
  run.setting.options[measured_by_option] = std::string("profile");
  return run;
}

}  // namespace loadshare::tool
