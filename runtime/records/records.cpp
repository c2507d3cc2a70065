#include "runtime/records/records.hpp"

#include <algorithm>
#include <cmath>

namespace loadshare {

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

TimesAtHostSpeed at_host_speed(const RankRecord& rank) {
  return at_host_speed({rank.computing_s, rank.stolen_s, rank.communicating_s, rank.idle_s}, rank.capacity);
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

std::optional<double> operation_rate(const RunRecord& record) {
  if (!record.operations || record.makespan_s <= 0) return std::nullopt;
  return *record.operations / record.makespan_s;
}

}  // namespace loadshare
