#include "runtime/farm/rank_report.hpp"

#include <sched.h>
#include <unistd.h>

#include <array>
#include <nlohmann/json.hpp>

namespace loadshare {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Account, chunks, iterations, computing_s, stolen_s, communicating_s,
                                   idle_s, waiting_cpu_s, start_s, last_end_s, end_s)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RankReport, rank, host, cpus, wait, clock_offset_s, has_thinned, is_absent,
                                   workers)

RankReport describe_process(int rank) {
  RankReport report;
  report.rank = rank;
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) == 0) report.host = name.data();
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) == 0)
    for (std::size_t cpu = 0; cpu < CPU_SETSIZE; ++cpu)
      if (CPU_ISSET(cpu, &set)) report.cpus.push_back(static_cast<int>(cpu));
  return report;
}

RankReport absent_rank(int rank) {
  RankReport report;
  report.rank = rank;
  report.host = "?";
  report.is_absent = true;
  report.workers.resize(1);
  return report;
}

std::string encode(const RankReport& report) {
  return nlohmann::json(report).dump();
}

RankReport decode_rank_report(const std::string& text) {
  return nlohmann::json::parse(text).get<RankReport>();
}

}  // namespace loadshare
