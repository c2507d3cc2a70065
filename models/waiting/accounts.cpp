#include "models/waiting/accounts.hpp"

#include <algorithm>

#include "models/waiting/granted.hpp"
#include "models/waiting/notes.hpp"
#include "models/waiting/span.hpp"

namespace loadshare::waiting {
namespace {

using profile::RankProfile;

constexpr double second_ns = 1e9;

granularity::RankTimes times_of(const RankProfile& rank, const RankWaits& waits, const Span& run) {
  const std::int64_t waiting_ns = std::min(waits.total_ns(), rank.inside_ns);
  const auto moving_ns = static_cast<double>(rank.inside_ns - waiting_ns);
  const double granted_ns = moving_ns * granted_share(rank);
  const std::int64_t computing_ns = rank.outside_ns - rank.stolen_ns - rank.blocked_ns;
  granularity::RankTimes times;
  times.rank = rank.rank;
  times.host = rank.host;
  times.computing_s = static_cast<double>(computing_ns) / second_ns;
  times.communicating_s = granted_ns / second_ns;
  times.idle_s = static_cast<double>(waiting_ns + absent_ns(rank, run) + rank.blocked_ns) / second_ns;
  times.stolen_s = (static_cast<double>(rank.stolen_ns) + moving_ns - granted_ns) / second_ns;
  return times;
}

}  // namespace

granularity::RunTimes account(const profile::Profile& profile) {
  return account(Matching(profile));
}

granularity::RunTimes account(const Matching& matching) {
  const profile::Profile& profile = matching.profile;
  const Span run = span_of(profile);
  granularity::RunTimes times;
  times.program = profile.program;
  times.run_s = static_cast<double>(run.end_ns - run.begin_ns) / second_ns;
  for (std::uint32_t rank = 0; rank < profile.ranks.size(); ++rank)
    times.ranks.push_back(times_of(profile.ranks[rank], waits_of(matching, rank), run));
  times.notes = notes_of(matching, times.run_s);
  return times;
}

}  // namespace loadshare::waiting
