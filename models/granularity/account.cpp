#include "models/granularity/account.hpp"

#include <fmt/format.h>

#include <cmath>
#include <set>

#include "models/granularity/totals.hpp"
#include "runtime/timing/records.hpp"
#include "schedulers/error.hpp"

namespace loadshare::granularity {
namespace {

void require_length(const RunTimes& run, std::string_view place) {
  if (run.ranks.empty()) throw UsageError(fmt::format("{}the run has no ranks", place), "nobody computed");
  if (!(std::isfinite(run.run_s) && run.run_s > 0))
    throw UsageError(fmt::format("{}the run time is {} s", place, run.run_s),
                     "nothing can be said of a run that took no time", "make the problem larger");
}

void require_distinct(const RunTimes& run, std::string_view place) {
  std::set<int> seen;
  for (const RankTimes& rank : run.ranks)
    if (!seen.insert(rank.rank).second)
      throw UsageError(fmt::format("{}rank {} is there twice", place, rank.rank), "runs are mixed up");
}

void require_times(const RankTimes& rank, std::string_view place) {
  for (const double part_s : {rank.computing_s, rank.communicating_s, rank.idle_s, rank.stolen_s})
    if (!(std::isfinite(part_s) && part_s >= 0))
      throw UsageError(fmt::format("{}a time of rank {} is {} s", place, rank.rank, part_s),
                       "times are not negative", "the file is damaged");
}

void require_closed(const RunTimes& run, const RankTimes& rank, std::string_view place) {
  const double gap = account_gap(run, rank);
  if (std::abs(gap) <= account_tolerance) return;
  throw UsageError(
      fmt::format("{}the account of rank {} does not close: its times make up {:.2f} % of the run time",
                  place, rank.rank, (1 - gap) * 100),
      fmt::format("{:.0f} % may be missing or too much; every figure would be wrong by that",
                  account_tolerance * 100),
      "run it again");
}

}  // namespace

double account_gap(const RunTimes& run, const RankTimes& rank) {
  return 1 - totals(rank).all_s() / run.run_s;
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
