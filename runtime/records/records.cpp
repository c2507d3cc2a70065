#include "runtime/records/records.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "runtime/records/worker_name.hpp"

namespace loadshare {

std::string text_of(const WorkerName& name, Index workers) {
  std::string text = workers > 1 ? fmt::format("ranks {}-{}", name.rank, name.rank + workers - 1)
                                 : fmt::format("rank {}", name.rank);
  if (!name.host.empty()) text += " on " + name.host;
  return name.address.empty() ? text : text + " (" + name.address + ")";
}

std::string worker_text(const RunRecord& record, WorkerId worker) {
  const auto rank = std::ranges::find(record.ranks, std::optional(worker), &RankRecord::worker);
  if (rank == record.ranks.end()) return "a worker";
  return text_of({.rank = rank->rank, .host = rank->host});
}

bool has_master(const RunRecord& record) {
  return record.ranks.empty() || record.ranks.front().role != Role::peer;
}

TimesAtHostSpeed at_host_speed(TimesAtHostSpeed times, double capacity) {
  const double at_speed_s = times.computing_s / capacity;
  for (double* part_s : {&times.stolen_s, &times.idle_s, &times.communicating_s}) {
    const double slow_s = std::clamp(at_speed_s - times.computing_s, 0.0, *part_s);
    times.computing_s += slow_s;
    *part_s -= slow_s;
  }
  return times;
}

// Subtracts the idle time that the limit caused, because bodies may seem to have waited in it.
TimesAtHostSpeed at_host_speed(const RankRecord& rank) {
  TimesAtHostSpeed times =
      at_host_speed({rank.computing_s, rank.stolen_s, rank.communicating_s, rank.idle_s, 0}, rank.capacity);
  const double paid_s = rank.idle_s - times.idle_s;
  times.waiting_s = std::clamp(rank.blocked_s - paid_s, 0.0, times.idle_s);
  times.computing_s += times.waiting_s;
  times.idle_s -= times.waiting_s;
  return times;
}

double waiting_share(const RankRecord& rank) {
  constexpr double least = 0.1;
  const TimesAtHostSpeed times = at_host_speed(rank);
  return times.waiting_s > least * times.computing_s ? times.waiting_s / times.computing_s : 0;
}

double worst_account_gap(const RunRecord& record) {
  if (record.makespan_s <= 0) return 0;
  double worst = 0;
  for (const RankRecord& rank : record.ranks) worst = std::max(worst, std::abs(rank.unaccounted_s));
  return worst / record.makespan_s;
}

bool account_closes(const RunRecord& record) {
  return worst_account_gap(record) <= account_tolerance;
}

WorkerShares worker_shares(const RunRecord& record) {
  WorkerShares sum;
  double time_s = 0;
  for (const RankRecord& rank : record.ranks) {
    if (!rank.worker) continue;
    const TimesAtHostSpeed times = at_host_speed(rank);
    sum.computing += times.computing_s;
    sum.stolen += times.stolen_s;
    sum.communicating += times.communicating_s;
    sum.idle += times.idle_s;
    sum.waiting += times.waiting_s;
    time_s += record.makespan_s - rank.away_s;
  }
  if (time_s <= 0) return {};
  return {sum.computing / time_s, sum.stolen / time_s, sum.communicating / time_s, sum.idle / time_s,
          sum.waiting / time_s};
}

double burnt_s(const RunRecord& record) {
  double seconds = 0;
  for (const RankRecord& rank : record.ranks) seconds += rank.waiting_cpu_s;
  return seconds;
}

bool burns(const RunRecord& record) {
  constexpr double least_share = 0.02;  // of all ranks' time
  const double rank_time_s = record.makespan_s * static_cast<double>(record.ranks.size());
  return rank_time_s > 0 && burnt_s(record) > least_share * rank_time_s;
}

std::optional<double> operation_rate(const RunRecord& record) {
  if (!record.operations || record.makespan_s <= 0) return std::nullopt;
  return *record.operations / record.makespan_s;
}

}  // namespace loadshare
