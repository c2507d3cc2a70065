#include "apps/spmd/record.hpp"

#include <algorithm>
#include <limits>

namespace loadshare::spmd {

namespace {

struct Span {
  double start_s = std::numeric_limits<double>::infinity();
  double finish_s = -std::numeric_limits<double>::infinity();
};

Span span_of(const std::vector<RankReport>& reports) {
  Span run;
  for (const RankReport& report : reports) {
    const Account& account = report.workers.front();
    run.start_s = std::min(run.start_s, account.start_s - report.clock_offset_s);
    run.finish_s = std::max(run.finish_s, account.end_s - report.clock_offset_s);
  }
  return run;
}

RankRecord peer_row(const RankReport& report, const Span& run, std::size_t sharing) {
  RankRecord row = row_of(report, Role::peer, sharing);
  const Account& account = report.workers.front();
  const double makespan_s = run.finish_s - run.start_s;
  const double apart_s = makespan_s - (account.end_s - account.start_s);
  row.worker = WorkerId{static_cast<std::uint32_t>(report.rank)};
  row.iterations = account.iterations;
  row.work = static_cast<double>(account.iterations);
  row.computing_s = account.computing_s;
  row.stolen_s = account.stolen_s;
  row.communicating_s = account.communicating_s + apart_s;
  row.unaccounted_s = makespan_s - row.computing_s - row.stolen_s - row.communicating_s;
  return row;
}

void add_host(std::vector<std::string>& hosts, const std::string& host) {
  if (std::ranges::find(hosts, host) == hosts.end()) hosts.push_back(host);
}

}  // namespace

RunRecord build_record(const std::vector<RankReport>& reports) {
  const Span run = span_of(reports);
  RunRecord record;
  record.workers = static_cast<Index>(reports.size());
  record.makespan_s = run.finish_s - run.start_s;
  record.tells_idle = false;
  record.binding = binding_of(reports);
  for (const RankReport& report : reports) {
    const auto sharing = std::ranges::count(reports, report.host, &RankReport::host);
    record.ranks.push_back(peer_row(report, run, static_cast<std::size_t>(sharing)));
    record.iterations += record.ranks.back().iterations;
    add_host(record.hosts, report.host);
  }
  return record;
}

}  // namespace loadshare::spmd
