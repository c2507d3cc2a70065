#include "runtime/farm/rank_report.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/io/process.hpp"
#include "runtime/host/cgroup_quota.hpp"
#include "runtime/host/scheduling.hpp"

namespace loadshare {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Account, chunks, iterations, computing_s, stolen_s, blocked_s,
                                   communicating_s, idle_s, waiting_cpu_s, start_s, last_end_s, end_s)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(LoadMeasure, on_s, asked_s, cpu_s, late_p99_s, late_max_s, cycles)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(LoadReport, rank, cpu, capacity, is_lost, measure, trouble)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RankReport, rank, host, cpus, quota, quota_period_s, tick_s, wait, way,
                                   clock_offset_s, carrying_cpu_s, has_thinned, is_absent, workers, loads)

RankReport describe_process(int rank) {
  RankReport report;
  report.rank = rank;
  report.host = host_name();
  report.cpus = allowed_cpus();
  if (const std::optional<CpuLimit> limit = cgroup_cpu_limit()) {
    report.quota = limit->processors;
    report.quota_period_s = limit->period_s;
    report.tick_s = quota_look_s();
  }
  return report;
}

KnownWorkers known_workers(Transport& transport) {
  if (transport.comes_and_goes()) return {};
  if (!transport.has_ranks()) return {std::vector<std::string>(transport.workers(), host_name()), {}};
  const nlohmann::json own{{"host", host_name()}, {"share", capacity_of_one(transport.local_ranks())}};
  const auto texts = transport.to_master(own.dump(), RunPlan::forever_s);
  const bool does_master_compute = transport.workers() == texts.size();
  KnownWorkers known;
  for (std::size_t rank = 0; rank < texts.size(); ++rank) {
    if (!does_master_compute && static_cast<int>(rank) == transport.master_rank()) continue;
    const auto told = nlohmann::json::parse(texts[rank]);
    known.hosts.push_back(told.at("host"));
    known.shares.push_back(told.at("share"));
  }
  return known;
}

RankReport absent_rank(int rank, const std::string& host, std::size_t workers) {
  RankReport report;
  report.rank = rank;
  report.host = host.empty() ? std::string(vanished_host) : host;
  report.is_absent = true;
  report.workers.resize(workers);
  return report;
}

std::string encode(const RankReport& report) {
  return nlohmann::json(report).dump();
}

RankReport decode_rank_report(const std::string& text) {
  return nlohmann::json::parse(text).get<RankReport>();
}

RankRecord row_of(const RankReport& report, Role role, std::size_t sharing) {
  RankRecord row;
  row.rank = report.rank;
  row.role = role;
  row.host = report.host;
  row.cpus = report.cpus;
  row.capacity = report.quota > 0 ? std::min(1.0, report.quota / static_cast<double>(sharing)) : 1;
  if (row.capacity < 1) {
    row.limit_period_s = report.quota_period_s;
    row.tick_s = report.tick_s;
  }
  row.clock_offset_s = report.clock_offset_s;
  return row;
}

std::string binding_of(const std::vector<RankReport>& reports) {
  std::size_t most = 0;
  for (const RankReport& report : reports) most = std::max(most, report.cpus.size());
  return most == 1 ? "one processor a rank" : "up to " + std::to_string(most) + " processors a rank";
}

}  // namespace loadshare
