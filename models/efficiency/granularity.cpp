#include "models/efficiency/granularity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "base/error.hpp"
#include "runtime/records/records.hpp"

namespace loadshare::granularity {
namespace {

void require_length(const RunTimes& run, std::string_view place) {
  if (run.ranks.empty()) throw UsageError(fmt::format("{}the run has no ranks", place), "no rank computed");
  if (!(std::isfinite(run.run_s) && run.run_s > 0))
    throw UsageError(fmt::format("{}the run time is {} s", place, run.run_s),
                     "a run without time has no efficiency", "make the problem larger");
}

void require_distinct(const RunTimes& run, std::string_view place) {
  std::set<int> seen;
  for (const RankTimes& rank : run.ranks)
    if (!seen.insert(rank.rank).second)
      throw UsageError(fmt::format("{}rank {} appears twice", place, rank.rank), "runs are mixed up");
}

void require_times(const RankTimes& rank, std::string_view place) {
  for (const double part_s :
       {rank.computing_s, rank.communicating_s, rank.idle_s, rank.stolen_s, rank.away_s})
    if (!(std::isfinite(part_s) && part_s >= 0))
      throw UsageError(fmt::format("{}a time of rank {} is {} s", place, rank.rank, part_s),
                       "times are not negative", "the file is damaged");
}

void require_closed(const RunTimes& run, const RankTimes& rank, std::string_view place) {
  const double gap = account_gap(run, rank);
  if (std::abs(gap) <= account_tolerance) return;
  throw UsageError(fmt::format("{}the times of rank {} add up to {:.2f} % of the run time, not to 100 %",
                               place, rank.rank, (1 - gap) * 100),
                   fmt::format("a difference of {:.0f} % is allowed; every figure would be wrong by as much",
                               account_tolerance * 100),
                   "run it again");
}

double left_of(double whole_s, double rest_s) {
  return whole_s > 0 ? rest_s / whole_s : 1;
}

/// The rank that computed for the largest share of its stay, and all stays in such as its own: as many as
/// there are ranks, where all were there throughout.
struct Busiest {
  double computing_s = 0, share = 0, stays = 0;
};

Busiest busiest_of(const RunTimes& run) {
  Busiest busiest{.stays = static_cast<double>(run.ranks.size())};
  double stays_s = 0;
  for (const RankTimes& rank : run.ranks) stays_s += stay_s(run, rank);
  for (const RankTimes& rank : run.ranks) {
    const double its_s = stay_s(run, rank);
    if (its_s > 0 && rank.computing_s / its_s > busiest.share)
      busiest = {rank.computing_s, rank.computing_s / its_s, stays_s / its_s};
  }
  return busiest;
}

}  // namespace

Totals totals(const RankTimes& rank) {
  return {rank.computing_s, rank.communicating_s, rank.idle_s, rank.stolen_s};
}

Totals totals(const RunTimes& run) {
  Totals sum;
  for (const RankTimes& rank : run.ranks) {
    sum.computing_s += rank.computing_s;
    sum.communicating_s += rank.communicating_s;
    sum.idle_s += rank.idle_s;
    sum.stolen_s += rank.stolen_s;
  }
  return sum;
}

std::optional<double> granularity(double computing_s, double lost_s) {
  if (lost_s > 0) return computing_s / lost_s;
  if (computing_s > 0) return std::numeric_limits<double>::infinity();
  return std::nullopt;
}

double efficiency(double granularity) {
  return std::isinf(granularity) ? 1 : granularity / (granularity + 1);
}

Granularities granularities(const Totals& times, bool tells_idle) {
  Granularities all;
  all.all = granularity(times.computing_s, times.lost_s());
  all.without_stolen = granularity(times.computing_s, times.communicating_s + times.idle_s);
  if (tells_idle) all.communication = granularity(times.computing_s, times.communicating_s);
  return all;
}

double stay_s(const RunTimes& run, const RankTimes& rank) {
  return run.run_s - rank.away_s;
}

Balance balance(const RunTimes& run) {
  const Busiest busiest = busiest_of(run);
  Balance balance;
  balance.communication_efficiency = busiest.share;
  if (busiest.share > 0) balance.load_balance = totals(run).computing_s / busiest.stays / busiest.computing_s;
  return balance;
}

Factors factors(const Totals& times, double most_computing_s, std::size_t ranks, bool tells_idle,
                const std::optional<IdealRun>& ideal) {
  const double all_s = times.all_s();
  const double differing_s = std::max(0.0, most_computing_s * static_cast<double>(ranks) - times.computing_s);
  if (ideal) {
    const double balanced_s = std::min(times.computing_s + differing_s, all_s);
    const double ideal_s = std::clamp(ideal->run_s * static_cast<double>(ranks), balanced_s, all_s);
    const double disturbed_s =
        std::clamp(ideal->run_with_theft_s * static_cast<double>(ranks), ideal_s, all_s);
    const double serialisation = left_of(ideal_s, balanced_s), transfer = left_of(all_s, disturbed_s);
    return {left_of(balanced_s, times.computing_s), serialisation * transfer, serialisation, transfer,
            left_of(disturbed_s, ideal_s)};
  }
  const double granted_s = all_s - times.stolen_s;
  const double waiting_s = tells_idle ? times.idle_s : times.idle_s + times.communicating_s;
  const double balanced_s = times.computing_s + std::min(differing_s, waiting_s);
  Factors factors{left_of(balanced_s, times.computing_s),
                  left_of(granted_s, balanced_s),
                  {},
                  {},
                  left_of(all_s, granted_s)};
  if (!tells_idle) return factors;
  factors.serialisation = left_of(times.computing_s + times.idle_s, balanced_s);
  factors.transfer = left_of(granted_s, times.computing_s + times.idle_s);
  return factors;
}

Factors factors(const RunTimes& run) {
  const Busiest busiest = busiest_of(run);
  const double most_s = busiest.computing_s * (busiest.stays / static_cast<double>(run.ranks.size()));
  return factors(totals(run), most_s, run.ranks.size(), run.tells_idle, run.ideal);
}

double account_gap(const RunTimes& run, const RankTimes& rank) {
  return 1 - (totals(rank).all_s() + rank.away_s) / run.run_s;
}

double widest_account_gap(const RunTimes& run) {
  double widest = 0;
  for (const RankTimes& rank : run.ranks)
    if (const double gap = account_gap(run, rank); std::abs(gap) > std::abs(widest)) widest = gap;
  return widest;
}

void require_sound(const RunTimes& run, std::string_view place) {
  require_length(run, place);
  require_distinct(run, place);
  for (const RankTimes& rank : run.ranks) {
    require_times(rank, place);
    require_closed(run, rank, place);
  }
}

}  // namespace loadshare::granularity
