#include "runtime/timing/records.hpp"

#include <algorithm>
#include <cmath>

namespace loadshare {

bool has_master(const RunRecord& record) {
  return record.ranks.empty() || record.ranks.front().role != Role::peer;
}

BusyTime at_host_speed(double computing_s, double stolen_s, double capacity) {
  const double busy_s = computing_s + stolen_s;
  const double at_speed_s = std::min(busy_s, computing_s / capacity);
  return {at_speed_s, busy_s - at_speed_s};
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

std::string_view role_name(Role role) {
  switch (role) {
    case Role::worker:
      return "worker";
    case Role::master:
      return "master";
    case Role::working_master:
      return "working master";
    case Role::peer:
      return "peer";
  }
  return "unknown";
}

std::optional<double> operation_rate(const RunRecord& record) {
  if (!record.operations || record.makespan_s <= 0) return std::nullopt;
  return *record.operations / record.makespan_s;
}

}  // namespace loadshare
